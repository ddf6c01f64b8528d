/**
 * Every bound of the service, with unit, reason and relation to other bounds. Nothing is unbounded
 * (docs/interface.md#limits). The environment may change the few that `config.ts` names.
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
export const REQUEST_ID_LENGTH_MAX = 64;
export const LIST_LIMIT_DEFAULT = 200;
export const LIST_LIMIT_MAX = 1000;
export const NAME_LENGTH_MAX = 200;
/** Backfilled built-ins included. */
export const CATALOGUE_ENTRIES_PER_WORKSPACE_MAX = 1000;

// ---- sign-in (docs/interface.md#sign-in)
export const SESSION_TOKEN_TTL_S = 30 * 60;
export const REFRESH_TOKEN_TTL_S = 30 * 24 * 3600;
export const LOGIN_CODE_TTL_S = 10 * 60;
export const LOGIN_CODE_ATTEMPTS_MAX = 5;
export const LOGINS_PER_ADDRESS_MAX = 5;
export const LOGINS_PER_ADDRESS_WINDOW_S = 600;
export const LOGINS_PER_IP_MAX = 30;
export const LOGINS_PER_IP_WINDOW_S = 60;
export const STREAM_TICKET_TTL_S = 60;
export const STREAM_TICKETS_OPEN_MAX = 100_000;
/** A revoked key or removed member is remembered so long: no request that was under way then lives longer. */
export const ACCESS_ENDS_KEPT_MS = 10 * 60_000;
export const ACCESS_ENDS_KEPT_MAX = 100_000;
/** A verified credential is believed this long without asking the registry again; revocation here clears it at once. */
export const CREDENTIAL_CACHE_TTL_MS = 10_000;
/** While the database is away, credentials verified before are believed this long, so that the picture stays up. */
export const CREDENTIAL_CACHE_STALE_TTL_MS = 15 * 60_000;
export const CREDENTIAL_CACHE_ENTRIES_MAX = 50_000;

export const KEYS_PER_WORKSPACE_MAX = 500;

// ---- rooms
export const WORKSPACES_OPEN_MAX = 64;
/** How often an open room steps when it has work, and tells its streams. */
export const STEP_PERIOD_MS = 50;
/** After so long a step leaves what still waits to the next one. */
export const STEP_BUDGET_MS = 250;
/** How often when the process holds more streams than this. */
export const STREAM_FLUSH_PERIOD_MS = 100;
export const STREAMS_FLUSHED_EACH_STEP_MAX = 1000;
/** A track is told at most every so often (docs/interface.md#track-updates: 5 Hz). */
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

// ---- our own forces
/** Assets of the registry, vehicles and sensors together. */
export const ASSETS_PER_WORKSPACE_MAX = 5000;
/** Platforms heard on links, ours or not; a flood of made-up ones pushes out what is silent, then is dropped, counted. */
export const PLATFORMS_PER_WORKSPACE_MAX = 8192;
/** Active alerts; more are counted. */
export const ALERTS_ACTIVE_MAX = 1000;
/** Of one sensor's placement; each costs a comparison a track and scan. */
export const BLIND_SECTORS_MAX = 64;
/** How often own positions go to the tracker; all platforms are one scan. */
export const OWN_POSITIONS_PERIOD_MS = 1000;
/** `fleet_slice` is sent whole: one of this size a second, larger ones less often. */
export const FLEET_SLICE_BYTES_PER_S = 1 << 20;
export const FLEET_SLICE_PERIOD_MAX_MS = 10_000;
/** Telemetry alone makes a list of assets at most so stale. */
export const ASSETS_STALE_MAX_MS = 100;
/** Accepted work that has not ended; refused commands do not count. */
export const OPEN_TASKS_PER_ASSET_MAX = 64;
/** Moves of tasks that wait for the database to come back. */
export const TASK_MOVES_WAITING_MAX = 10_000;
/** Writes of a workspace that wait for their turn, a registry of new assets at once; an abort finds as much room again. */
export const WRITES_WAITING_MAX = 5000;
/** Events of rooms (alerts) that wait for the database. */
export const EVENTS_WAITING_MAX = 10_000;
/** Rows of the event log in one statement: the driver numbers 65,533 parameters, and a row takes 13. */
export const EVENTS_PER_STATEMENT_MAX = 1000;
export const LINKS_PER_WORKSPACE_MAX = 64;

// ---- links
/** Far ends remembered a link; a flood of made-up ones is dropped, counted. */
export const LINK_SOURCES_MAX = 4096;
/** Silence for longer makes an integration one that only listens. */
export const INTEGRATION_ACTIVE_WITHIN_MS = 60_000;
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
/** What a TAK client's socket is given at a time. */
export const COT_UNREAD_BYTES_MAX = 512 << 10;
/** Events that wait beside that: the picture of a full room and what changes while it is read. */
export const COT_EVENTS_WAITING_MAX = 50_000;
/** A TAK client that reads nothing for so long is let go. */
export const COT_STALLED_MS = 10_000;
export const COT_EVENTS_PER_SOURCE_HZ = 200;
/** Edge nodes of one SAPIENT listener. */
export const SAPIENT_NODES_MAX = 256;
export const SAPIENT_UNREAD_BYTES_MAX = 1 << 20;
export const SAPIENT_MESSAGES_PER_NODE_HZ = 500;
/** A connection that registers no node within so long is ended. */
export const SAPIENT_REGISTER_WITHIN_MS = 30_000;
/** Messages that cannot be read before the connection is ended. */
export const SAPIENT_BAD_FRAMES_MAX = 20;

// ---- late data: what a room keeps of its last `max_lag_s`
/** Kernel states that late scans go back to. More make a rewind shorter, and each is a copy of the live tracks. */
export const KEPT_STATES_MAX = 48;
/** 10 000 tracks are about 15 MB a state; the two that are always kept may exceed it. */
export const KEPT_STATE_BYTES_MAX = 64 << 20;
/** Measurements kept for running again, 128 bytes each; beyond it the lag window becomes shorter, counted. */
export const REPLAY_MEASUREMENTS_MAX = 200_000;
/** Explain records waiting for the flush; beyond it the newest are dropped, counted. */
export const EXPLAINS_WAITING_MAX = 4096;

// ---- stream
/**
 * Event numbers that a room reserves in the database at a time; half of a block is left when the next one is asked for. At
 * 2000 events a second (400 moving tracks) half a block lasts 7 h without the database, at the most that a full room can
 * publish (10,000 tracks at 5 Hz) a quarter of an hour. 2^53 numbers are 90 million blocks.
 */
export const STREAM_NUMBERS_PER_BLOCK = 100_000_000;
export const STREAM_PING_PERIOD_MS = 15_000;
/** A lagging session is caught up from the shared log while what it missed is younger and smaller than this. */
export const LAG_CATCH_UP_MS = 10_000;
export const LAG_CATCH_UP_BYTES = 2 << 20;
/** A session that has not drained for this long is closed. */
export const LAG_CLOSE_MS = 30_000;
/** A snapshot is handed to the transport in pieces of this size, so that a client that does not read holds one piece. */
export const SNAPSHOT_PIECE_BYTES = 256 << 10;
/** Stays free of the process's 20,000 file descriptors for everything that is no stream. */
export const STREAMS_PER_PROCESS_MAX = 19_500;

// ---- database
export const QUERY_DEADLINE_MS = 2000;
/** The first start: initdb, recovery after a crash, migrations. Requests that need the database wait this long for it. */
export const DATABASE_START_WAIT_MS = 30_000;
export const DRAIN_DEADLINE_MS = 9000;

assert(STREAM_TICKET_TTL_S * 1000 < ACCESS_ENDS_KEPT_MS, "an excluded holder must be remembered longer than a ticket");
assert(SIGNALS_OBSERVATIONS_MAX <= INBOX_OBSERVATIONS_MAX, "one full request must fit an empty inbox");
assert(STREAM_FLUSH_PERIOD_MS <= TRACK_UPDATE_PERIOD_MS, "a flush must not be rarer than a track's updates");
assert(2 * LINK_CLOSE_WITHIN_MS < DRAIN_DEADLINE_MS, "links must be closed before the process has to be");
