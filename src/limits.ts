/**
 * Every limit of the service, with unit and reason. Nothing is unbounded (docs/interface.md#limits). Where one limit only
 * makes sense beside another, an `assert` under the two says how: the process does not start with limits that contradict
 * each other. The environment may change the few that `config.ts` names.
 */
import { assert } from "./lib/assert.ts";

// ---- requests
/** Refused from Content-Length before reading where it is given. */
export const BODY_BYTES_MAX = 1 << 20;
export const SIGNALS_BODY_BYTES_MAX = 8 << 20;
export const SIGNALS_OBSERVATIONS_MAX = 10_000;
/** Answered `rejected[]` entries; the rest are only counted (docs/interface.md#signals). */
export const SIGNALS_REJECTED_SHOWN_MAX = 100;
/** JSON and MessagePack nesting; checked before anything walks the value. */
export const NESTING_DEPTH_MAX = 32;
/** A JWT of ours is under 600 bytes; a longer one is not ours. */
export const BEARER_BYTES_MAX = 4096;
/** The only open objects of the interface: the spec of an asset or of a catalogue entry. */
export const SPEC_DEPTH_MAX = 16;
export const SPEC_BYTES_MAX = 64 << 10;
export const SPEC_KEYS_MAX = 1000;
/** Values of a JSON body, counted before it is parsed: parsing and checking these many takes some 20 ms. */
export const BODY_VALUES_MAX = 100_000;
/** The same of a signals body: an observation has at most some 30 members, and few objects and arrays among them. */
export const SIGNALS_VALUES_MAX = 64 * SIGNALS_OBSERVATIONS_MAX;
export const SIGNALS_CONTAINERS_MAX = 8 * SIGNALS_OBSERVATIONS_MAX;
/** Beyond this many values the place of a fault in a body is no longer looked for. */
export const FAULT_VALUES_MAX = 20_000;
/** A gzip body may unpack to this many times its size, or to the limit of a plain JSON body if that is more. */
export const GZIP_RATIO_MAX = 100;
export const REQUEST_ID_LENGTH_MAX = 64;
/** Beyond this, a request for an answer without a body is cut: whether its peer reads is not known (ADR 0121). */
export const ANSWERS_WITHOUT_BODY_PER_SECOND_MAX = 500;
export const LIST_LIMIT_DEFAULT = 200;
export const LIST_LIMIT_MAX = 1000;
export const NAME_LENGTH_MAX = 200;
/** Backfilled built-ins included. */
export const CATALOGUE_ENTRIES_PER_WORKSPACE_MAX = 1000;
/** In the fit of an asset, of a catalogue entry or of a type. */
export const PAYLOADS_PER_ASSET_MAX = 64;

assert(BODY_BYTES_MAX <= SIGNALS_BODY_BYTES_MAX, "signals are the largest bodies");
assert(SIGNALS_REJECTED_SHOWN_MAX <= SIGNALS_OBSERVATIONS_MAX, "no more is shown as rejected than was sent");
assert(SPEC_BYTES_MAX < BODY_BYTES_MAX, "the largest spec must fit into a body");
assert(SPEC_DEPTH_MAX + 2 <= NESTING_DEPTH_MAX, "the deepest spec must fit into the members of a body");
assert(LIST_LIMIT_DEFAULT <= LIST_LIMIT_MAX, "a page without a limit must be one that may be asked for");

// ---- sign-in (docs/interface.md#sign-in)
export const SESSION_TOKEN_TTL_S = 30 * 60;
/** How far the clocks of two nodes that verify each other's tokens may differ. */
export const SESSION_CLOCK_TOLERANCE_S = 5;
export const REFRESH_TOKEN_TTL_S = 30 * 24 * 3600;
export const LOGIN_CODE_TTL_S = 10 * 60;
export const LOGIN_CODE_ATTEMPTS_MAX = 5;
export const LOGINS_PER_ADDRESS_MAX = 5;
export const LOGINS_PER_ADDRESS_WINDOW_S = 600;
export const LOGINS_PER_IP_MAX = 30;
export const LOGINS_PER_IP_WINDOW_S = 60;
/** A verified credential is believed this long without asking the registry again; revocation here clears it at once. */
export const CREDENTIAL_CACHE_TTL_MS = 10_000;
/** While the database is away, credentials verified before are believed this long, so that the picture stays up. */
export const CREDENTIAL_CACHE_STALE_TTL_MS = 15 * 60_000;
export const CREDENTIAL_CACHE_ENTRIES_MAX = 50_000;
/** Short: it only spares the registry when a client repeats a credential that is not valid. */
export const CREDENTIAL_UNKNOWN_TTL_MS = 2000;
export const CREDENTIAL_UNKNOWN_ENTRIES_MAX = 10_000;
export const KEYS_PER_WORKSPACE_MAX = 500;
export const STREAM_TICKET_TTL_S = 60;
export const STREAM_TICKETS_OPEN_MAX = 100_000;
/** A revoked key or removed member is remembered this long, for the requests that were under way then. */
export const ACCESS_ENDS_KEPT_MS = 10 * 60_000;
export const ACCESS_ENDS_KEPT_MAX = 100_000;

assert(SESSION_TOKEN_TTL_S < REFRESH_TOKEN_TTL_S, "a refresh token must outlive the session that it prolongs");
assert(SESSION_CLOCK_TOLERANCE_S < SESSION_TOKEN_TTL_S, "a token must not be valid for its tolerance alone");
assert(
  LOGIN_CODE_TTL_S <= LOGINS_PER_ADDRESS_WINDOW_S,
  "while a code is valid its address gets no more than a window's",
);
assert(
  LOGINS_PER_ADDRESS_MAX * LOGIN_CODE_ATTEMPTS_MAX * 10_000 <= 1_000_000,
  "a window's guesses at the six digits of one address must succeed less than once in ten thousand",
);
assert(
  CREDENTIAL_UNKNOWN_TTL_MS <= CREDENTIAL_CACHE_TTL_MS,
  "a new key must work at least as soon as a revoked one ends",
);
assert(
  CREDENTIAL_CACHE_TTL_MS < CREDENTIAL_CACHE_STALE_TTL_MS,
  "without the database, credentials are believed longer",
);
assert(CREDENTIAL_CACHE_STALE_TTL_MS <= SESSION_TOKEN_TTL_S * 1000, "and no longer than a session lasts");
assert(
  STREAM_TICKET_TTL_S * 1000 < ACCESS_ENDS_KEPT_MS,
  "an end of access must be remembered longer than a ticket lives",
);

// ---- rooms
/** Rooms of one process; each holds a WASM memory. When all are taken, one that is not in use gives way to the next. */
export const WORKSPACES_OPEN_MAX = 64;
/** After this long without data a room may give way: its last tracks have ended. */
export const ROOM_GIVES_WAY_AFTER_MS = 60_000;
/** Workspaces that one user may make, unless the environment says otherwise. */
export const WORKSPACES_PER_USER_DEFAULT = 20;
/** Live tracks; the environment may lower it. */
export const TRACKS_PER_WORKSPACE_MAX = 10_000;
/** How often an open room steps when it has work, and tells its streams. */
export const STEP_PERIOD_MS = 50;
/** After this long a step leaves what still waits to the next one. */
export const STEP_BUDGET_MS = 250;
/** How often a room tells its streams while the process holds more than STREAMS_FLUSHED_EACH_STEP_MAX. */
export const STREAM_FLUSH_PERIOD_MS = 100;
export const STREAMS_FLUSHED_EACH_STEP_MAX = 1000;
/** Shortest time between two updates of one track (docs/interface.md#track-updates: 5 Hz). */
export const TRACK_UPDATE_PERIOD_MS = 200;
/** Observations waiting for the next step; the call that would overflow it is refused whole. */
export const INBOX_OBSERVATIONS_MAX = 100_000;
export const SOURCES_PER_WORKSPACE_MAX = 512;
/** `obs` events a source and second. */
export const OBS_EVENTS_PER_SOURCE_HZ = 10;
/** Remembered observation and scan ids, for idempotence within the lag window. */
export const SEEN_IDS_PER_WORKSPACE_MAX = 1_000_000;
export const SEEN_IDS_WINDOW_MS = 30_000;
export const FUTURE_TOLERANCE_MS = 1000;
export const TRACK_HISTORY_PERIOD_MS = 1000;
export const TRACK_HISTORY_POINTS_MAX = 3600;
/** Of all tracks of a room, 64 bytes each: an hour of 580 tracks, three minutes of the most tracks that may live. */
export const TRACK_HISTORIES_POINTS_MAX = 1 << 21;
/** A number is not given to another track for this long, so that voice reports stay unambiguous. */
export const TRACK_NUMBER_REST_MS = 24 * 3600_000;
/**
 * Identities remembered beside those of live tracks and of assets; a flood of made-up serials pushes out what was not
 * claimed for longest instead of growing.
 */
export const CLAIMED_IDENTITIES_MAX = 20_000;

assert(STEP_PERIOD_MS < STEP_BUDGET_MS, "a step that is late must have time to catch up");
assert(STREAM_FLUSH_PERIOD_MS % STEP_PERIOD_MS === 0, "streams are told at the end of a step");
assert(STREAM_FLUSH_PERIOD_MS <= TRACK_UPDATE_PERIOD_MS, "a flush must not be rarer than a track's updates");
assert(SIGNALS_OBSERVATIONS_MAX <= INBOX_OBSERVATIONS_MAX, "one full request must fit an empty inbox");
assert(INBOX_OBSERVATIONS_MAX <= SEEN_IDS_PER_WORKSPACE_MAX, "a full inbox must not push out its own ids");
assert(FUTURE_TOLERANCE_MS < SEEN_IDS_WINDOW_MS, "an id must be remembered until its observation is past");
assert(TRACK_HISTORY_POINTS_MAX <= TRACK_HISTORIES_POINTS_MAX, "one track's hour must fit into a room's histories");
assert(
  180 * TRACKS_PER_WORKSPACE_MAX <= TRACK_HISTORIES_POINTS_MAX,
  "the most tracks that may live must have three minutes of history",
);
assert(TRACKS_PER_WORKSPACE_MAX <= CLAIMED_IDENTITIES_MAX, "the claims of live tracks must not push out each other");

// ---- our own forces
/** Assets of the registry, vehicles and sensors together. */
export const ASSETS_PER_WORKSPACE_MAX = 5000;
/** Platforms heard on links, ours or not; a flood of made-up ones pushes out what is silent, then is dropped, counted. */
export const PLATFORMS_PER_WORKSPACE_MAX = 8192;
/** Parts of one platform that report their health; more are not kept. */
export const HEALTH_COMPONENTS_MAX = 32;
/** Newest texts of one platform, such as a pre-arm failure. */
export const HEALTH_MESSAGES_MAX = 8;
/** Active alerts; more are counted. */
export const ALERTS_ACTIVE_MAX = 1000;
/** Of one sensor's placement; each costs a comparison a track and scan. */
export const BLIND_SECTORS_MAX = 64;
/** How often own positions go to the tracker; all platforms are one scan. */
export const OWN_POSITIONS_PERIOD_MS = 1000;
/** An older position is not extrapolated to now. */
export const OWN_POSITION_AGE_MAX_MS = 3000;
/** `live_state` is told at least this often while a stream is open, so that silence means loss of contact. */
export const LIVE_STATE_PERIOD_MAX_MS = 2000;
/** `fleet_slice` is sent whole: one of this size a second, larger ones less often. */
export const FLEET_SLICE_BYTES_PER_S = 1 << 20;
export const FLEET_SLICE_PERIOD_MAX_MS = 10_000;
/** How old telemetry in a list of assets may be. */
export const ASSETS_STALE_MAX_MS = 100;
/** Accepted work that has not ended; refused commands do not count. */
export const OPEN_TASKS_PER_ASSET_MAX = 64;
/** Moves of tasks that wait for the database to come back. */
export const TASK_MOVES_WAITING_MAX = 10_000;
/** Writes of a workspace that wait for their turn, a registry of new assets at once; an abort finds as much room again. */
export const WRITES_WAITING_MAX = 5000;
/** Events of rooms (alerts) that wait for the database. */
export const EVENTS_WAITING_MAX = 10_000;
/** Rows of the event log in one statement. */
export const EVENTS_PER_STATEMENT_MAX = 1000;
export const LINKS_PER_WORKSPACE_MAX = 64;

assert(ASSETS_PER_WORKSPACE_MAX <= PLATFORMS_PER_WORKSPACE_MAX, "every asset may be heard on a link at once");
assert(ASSETS_PER_WORKSPACE_MAX <= WRITES_WAITING_MAX, "a whole registry may be written at once");
assert(OWN_POSITIONS_PERIOD_MS < OWN_POSITION_AGE_MAX_MS, "a position must not be too old before it is asked for");
assert(ASSETS_STALE_MAX_MS >= STEP_PERIOD_MS, "a list cannot be fresher than the steps that change it");
assert(ALERTS_ACTIVE_MAX <= EVENTS_WAITING_MAX, "every active alert may be logged while the database is away");
assert(EVENTS_PER_STATEMENT_MAX * 13 <= 65_533, "the driver numbers 65,533 parameters, and a row takes 13");
assert(EVENTS_PER_STATEMENT_MAX <= EVENTS_WAITING_MAX, "a full statement must find its rows");

// ---- who is still there (docs/interface.md#asset-views; the rule is domain/platformStates.ts)
/** Between two reports of a platform, unless its protocol says otherwise: a MAVLink heartbeat is sent at 1 Hz. */
export const PLATFORM_PERIOD_DEFAULT_MS = 1000;
export const LINK_DEGRADED_PERIODS = 2;
export const LINK_LOST_PERIODS = 5;
/** Nothing is lost sooner, however often it reports. */
export const LINK_LOST_MIN_MS = 5000;
export const LINK_DEGRADED_LOSS_PCT = 10;
/** A fast sensor may send the scans of a second or two together: that silence is not late. */
export const SENSOR_BATCH_MAX_MS = 2500;
/** The rate of a link and of a platform is counted over this long. */
export const LINK_RATE_WINDOW_MS = 5000;
export const SENSOR_RATE_WINDOW_S = 60;
/** A far end that was silent for this long is not counted among a link's sources. */
export const LINK_SOURCE_RECENT_MS = 60_000;
/** After this silence an integration only listens. */
export const INTEGRATION_ACTIVE_WITHIN_MS = 60_000;
/** What is not ours is forgotten after this silence: platforms, sources, the vehicles that a link knows. */
export const FORGOTTEN_AFTER_MS = 10 * 60_000;
/** A link that has forgotten a vehicle cannot tell that its conflict ended, so the conflict is dropped shortly before. */
export const CONFLICTS_KEPT_MS = FORGOTTEN_AFTER_MS - 10_000;
/** A room without data and without a stream for this long is closed; its picture would be empty anyway. */
export const ROOM_IDLE_CLOSE_MS = 10 * 60_000;

assert(LINK_DEGRADED_PERIODS < LINK_LOST_PERIODS, "what is lost was degraded before");
assert(LINK_DEGRADED_PERIODS * PLATFORM_PERIOD_DEFAULT_MS < LINK_LOST_MIN_MS, "also where it reports often");
assert(SENSOR_BATCH_MAX_MS < LINK_LOST_MIN_MS, "also where it sends its scans together");
assert(LINK_LOST_MIN_MS < LINK_SOURCE_RECENT_MS, "what is up counts as a source");
assert(LINK_SOURCE_RECENT_MS <= INTEGRATION_ACTIVE_WITHIN_MS, "an integration with a source is active");
assert(INTEGRATION_ACTIVE_WITHIN_MS < FORGOTTEN_AFTER_MS, "what is active is not forgotten");
assert(CONFLICTS_KEPT_MS < FORGOTTEN_AFTER_MS, "a conflict must be dropped before its link forgets the vehicle");
assert(ROOM_GIVES_WAY_AFTER_MS <= ROOM_IDLE_CLOSE_MS, "a room that is idle may give way");
assert(FORGOTTEN_AFTER_MS <= ROOM_IDLE_CLOSE_MS, "a room must not close while it shows a discovery");

// ---- links
/** Far ends remembered a link; a flood of made-up ones is dropped, counted. */
export const LINK_SOURCES_MAX = 4096;
/** What a link may take to close; all of them close at once, well within the end of the process (DRAIN_DEADLINE_MS). */
export const LINK_CLOSE_WITHIN_MS = 2000;
/** MAVLink frames a second and vehicle: a busy autopilot sends about 200. */
export const MAVLINK_FRAMES_PER_SOURCE_HZ = 1000;
/** Vehicles met a link. There are 254 system ids; more than one of an id is a conflict, and a few show that there is one. */
export const MAVLINK_VEHICLES_PER_LINK_MAX = 1024;
export const MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX = 32;
/** SBS-1 lines a second and link: the busiest receivers hear about 3000 messages a second. */
export const SBS_LINES_HZ = 10_000;
/** Remote ID payloads a second and receiver: a busy sky of a hundred drones sends about 400. */
export const REMOTE_ID_PAYLOADS_PER_RECEIVER_HZ = 2000;
/** TAK clients of one listener. */
export const COT_CLIENTS_MAX = 64;
/** Bytes that a TAK client's socket is given at a time. */
export const COT_UNREAD_BYTES_MAX = 512 << 10;
/** Events that wait beside that: the picture of a full room and what changes while it is read. */
export const COT_EVENTS_WAITING_MAX = 50_000;
/** A TAK client that reads nothing for this long is disconnected. */
export const COT_STALLED_MS = 10_000;
export const COT_EVENTS_PER_SOURCE_HZ = 200;
/** Modes that a platform may list for `set_mode`, and the longest name of one. */
export const MODES_PER_PLATFORM_MAX = 64;
export const MODE_NAME_LENGTH_MAX = 64;
/** Edge nodes of one SAPIENT listener. */
export const SAPIENT_NODES_MAX = 256;
export const SAPIENT_UNREAD_BYTES_MAX = 1 << 20;
export const SAPIENT_MESSAGES_PER_NODE_HZ = 500;
/** A connection that registers no node within this time is ended. */
export const SAPIENT_REGISTER_WITHIN_MS = 30_000;
/** A task or an order that a node has not acknowledged by then counts as not delivered. */
export const SAPIENT_ANSWER_WITHIN_MS = 10_000;
/** Messages that cannot be read before the connection is ended. */
export const SAPIENT_BAD_FRAMES_MAX = 20;

assert(MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX < MAVLINK_VEHICLES_PER_LINK_MAX, "one system id must not fill a link");
assert(254 <= MAVLINK_VEHICLES_PER_LINK_MAX, "every system id must fit a link");
assert(MAVLINK_VEHICLES_PER_LINK_MAX <= LINK_SOURCES_MAX, "every vehicle of a link is one of its sources");
assert(MAVLINK_VEHICLES_PER_LINK_MAX <= PLATFORMS_PER_WORKSPACE_MAX, "one link must not fill a workspace");
assert(SAPIENT_NODES_MAX <= LINK_SOURCES_MAX, "every node of a listener is one of its sources");
assert(
  TRACKS_PER_WORKSPACE_MAX + ASSETS_PER_WORKSPACE_MAX <= COT_EVENTS_WAITING_MAX,
  "a TAK client must be able to wait for the whole picture",
);

// ---- late data: what a room keeps of its last `max_lag_s`
/** Kernel states that late scans go back to. More make a rewind shorter, and each is a copy of the live tracks. */
export const KEPT_STATES_MAX = 48;
/** 10 000 tracks are about 15 MB a state; the two that are always kept may exceed it. */
export const KEPT_STATE_BYTES_MAX = 64 << 20;
/** Measurements kept for running again, 128 bytes each; beyond it the lag window becomes shorter, counted. */
export const REPLAY_MEASUREMENTS_MAX = 200_000;

// ---- explaining what the tracker did
/** Explain records waiting for the flush; beyond it the newest are dropped, counted. */
export const EXPLAINS_WAITING_MAX = 4096;
/** Gates and tracks that one explained scan tells of on the stream: 2 048 tracks are about 4 MB of JSON. */
export const EXPLAIN_PAIRS_OF_SCAN_MAX = 8192;
export const EXPLAIN_TRACKS_OF_SCAN_MAX = 2048;
/** Behind the lag window scans are kept this long, so that they can be explained after the fact. */
export const EXPLAIN_PAST_MS = 60_000;
/** A room's scans and states for that; beyond it the past is shorter. A minute of 2 500 observations a second fits. */
export const EXPLAIN_PAST_BYTES_MAX = 32 << 20;
/** Fusing again for one answer, in measurements (3 us each): a slice, after which other work gets its turn, and all of it. */
export const EXPLAIN_SLICE_MEASUREMENTS_MAX = 2500;
export const EXPLAIN_ANSWER_MEASUREMENTS_MAX = 500_000;

assert(EXPLAIN_SLICE_MEASUREMENTS_MAX < EXPLAIN_ANSWER_MEASUREMENTS_MAX, "an answer is worked out in several slices");
assert(INBOX_OBSERVATIONS_MAX <= REPLAY_MEASUREMENTS_MAX, "a full inbox must fit into the lag window");

// ---- stream
/**
 * Event numbers that a room reserves in the database at a time; half of a block is left when the next one is asked for. At
 * 2000 events a second (400 moving tracks) half a block lasts 7 h without the database. 2^53 numbers are 90 million blocks.
 */
export const STREAM_NUMBERS_PER_BLOCK = 100_000_000;
/** Open streams of a workspace unless the environment says otherwise. */
export const STREAMS_PER_WORKSPACE_DEFAULT = 20_000;
/** The rest of the process's 20,000 file descriptors is for everything that is no stream. */
export const STREAMS_PER_PROCESS_MAX = 19_500;
export const STREAM_PING_PERIOD_MS = 15_000;
/** A lagging session is caught up from the shared log while what it missed is younger and smaller than this. */
export const LAG_CATCH_UP_MS = 10_000;
export const LAG_CATCH_UP_BYTES = 2 << 20;
/** A session that has not drained for this long is closed. */
export const LAG_CLOSE_MS = 30_000;
/** A snapshot is handed to the transport in pieces of this size, so that a client that does not read holds one piece. */
export const SNAPSHOT_PIECE_BYTES = 256 << 10;

assert(
  (15 * 60 * TRACKS_PER_WORKSPACE_MAX * 1000) / TRACK_UPDATE_PERIOD_MS <= STREAM_NUMBERS_PER_BLOCK / 2,
  "a full room must be able to publish for a quarter of an hour without the database",
);
assert(STREAMS_FLUSHED_EACH_STEP_MAX < STREAMS_PER_PROCESS_MAX, "a full process must tell its streams less often");
assert(STREAMS_PER_PROCESS_MAX <= STREAM_TICKETS_OPEN_MAX, "every stream may come back at once");
assert(STREAMS_PER_PROCESS_MAX <= CREDENTIAL_CACHE_ENTRIES_MAX, "and find its credential in the cache");
assert(STREAM_PING_PERIOD_MS % 1000 === 0, "sessions are pinged in slots of a second");
assert(STREAM_PING_PERIOD_MS < LAG_CLOSE_MS, "a session must be pinged before it can be taken for dead");
assert(LAG_CATCH_UP_MS < LAG_CLOSE_MS, "a session must be able to be beyond catching up and still open");
assert(SNAPSHOT_PIECE_BYTES < LAG_CATCH_UP_BYTES, "a snapshot's piece must be less than what a session may lag");

// ---- database
export const QUERY_DEADLINE_MS = 2000;
/** The first start: initdb, recovery after a crash, migrations. Requests that need the database wait this long for it. */
export const DATABASE_START_WAIT_MS = 30_000;
export const DRAIN_DEADLINE_MS = 9000;

assert(QUERY_DEADLINE_MS < DATABASE_START_WAIT_MS, "a start takes longer than a query");
assert(2 * QUERY_DEADLINE_MS < DRAIN_DEADLINE_MS, "a query that is under way, and the flush after it, must end first");
assert(2 * LINK_CLOSE_WITHIN_MS < DRAIN_DEADLINE_MS, "links must be closed before the process has to be");

/** Tracks that one call may merge into one. */
export const MERGED_TRACKS_MAX = 16;
export const TRACK_LABEL_LENGTH_MAX = 64;
export const TRACK_NOTE_LENGTH_MAX = 1000;
/** Explained scans that one answer gives of a track. */
export const EXPLAINS_OF_TRACK_MAX = 1000;
