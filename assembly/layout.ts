/**
 * The kernel's memory map and capacities: all that host and kernel must agree on. Constants only, one `export const` a
 * line, read by asc and by tsc. The constants of the algorithm are in physics.ts.
 *
 *   0            ARENA_START                            STATE_END                                                ARENA_END
 *   | asc's own  | TUNING SENSOR HEAD TRACK BEARING ANCHOR | MEAS POSE | CAND CLUSTER PAIR INDEX WORK | ENDED OUT EXPLAIN |
 *   | data       | the state: what the host saves; TUNING  | one scan, | scratch of one scan or sweep | results, until    |
 *   |            | it sets again                           | from host |                              | the host has read |
 */

// ---------------------------------------------------------------- one measurement: MEAS_STRIDE f64 values
// Absent components are NaN. Angles in radians: azimuth clockwise from true north and elevation above the horizon,
// both in the sensor's own east-north-up frame. Positions and velocities in the workspace's east-north-up frame.
export const MEAS_STRIDE: i32 = 16;
/** MEAS_KIND_SPHERICAL | MEAS_KIND_BEARING | MEAS_KIND_POSITION */
export const MEAS_KIND: i32 = 0;
/** spherical, bearing: azimuth, rad; position: east, m */
export const MEAS_Z0: i32 = 1;
/** spherical, bearing: elevation, rad, or NaN; position: north, m */
export const MEAS_Z1: i32 = 2;
/** spherical: range, m; position: up, m, or NaN */
export const MEAS_Z2: i32 = 3;
/** spherical: range rate, m/s, positive away, or NaN; position: velocity east, m/s, or NaN */
export const MEAS_Z3: i32 = 4;
/** position: velocity north, m/s, or NaN */
export const MEAS_Z4: i32 = 5;
/** position: velocity up, m/s, or NaN */
export const MEAS_Z5: i32 = 6;
/** sigma of azimuth, rad; position: of the major horizontal axis, m */
export const MEAS_S0: i32 = 7;
/** sigma of elevation, rad; position: of the minor horizontal axis, m */
export const MEAS_S1: i32 = 8;
/** sigma of range, m; position: of up, m */
export const MEAS_S2: i32 = 9;
/** sigma of range rate, m/s; position: of each velocity component, m/s */
export const MEAS_S3: i32 = 10;
/** position: clockwise angle from north of the major axis, rad; 0 for a circle */
export const MEAS_ORIENTATION: i32 = 11;
/** claimed identity (serial, ICAO address): the room's number for it, whole and under 2^53; 0 for none */
export const MEAS_CLAIM: i32 = 12;
/** coarse class as the room's number for it, 0 for none; the kernel does not read it */
export const MEAS_CLASS: i32 = 13;
/** detection confidence 0..1, NaN when not reported; the kernel does not read it */
export const MEAS_CONFIDENCE: i32 = 14;
/** radar cross-section, dBsm, NaN when not reported */
export const MEAS_RCS_DBSM: i32 = 15;

export const MEAS_KIND_SPHERICAL: i32 = 1;
export const MEAS_KIND_BEARING: i32 = 2;
export const MEAS_KIND_POSITION: i32 = 3;

// ---------------------------------------------------------------- capacities
/**
 * Rows of the track table. The host asks for fewer: what it shows (docs/interface.md#limits: 10,000) plus room for
 * tentative rows.
 */
export const TRACK_CAPACITY: i32 = 12_288;
/** Sensors that may report at once. A room may have more; scans of sensors without a slot are counted by the host. */
export const SENSOR_CAPACITY: i32 = 512;
/** Measurements in one scan; a request carries at most 10,000 (limits.ts SIGNALS_OBSERVATIONS_MAX). */
export const SCAN_MEASUREMENTS_MAX: i32 = 12_288;
/** Pairs inside the gates of one scan: on average eight a track. A search that this bound ends is counted. */
export const PAIRS_MAX: i32 = 98_304;
/** Motion models of the IMM: quiet and manoeuvring constant velocity. */
export const MODEL_COUNT: i32 = 2;
/** Sensors remembered for a track. */
export const CONTRIBUTORS_MAX: i32 = 8;
/** Unexplained bearings kept for triangulation. */
export const BEARING_CAPACITY: i32 = 512;
/** Anchors of sensor registration (anchors.ts). */
export const ANCHOR_CAPACITY: i32 = 256;
/** Ended tracks that the host has not read yet; further ones are not recorded. */
export const ENDED_CAPACITY: i32 = 16_384;
/** Pairs and tracks in the record of one scan: all that it can have. */
export const EXPLAIN_PAIRS_MAX: i32 = PAIRS_MAX;
export const EXPLAIN_TRACKS_MAX: i32 = TRACK_CAPACITY;
/** Buckets of an index: a power of two, at least SCAN_MEASUREMENTS_MAX / 3. */
export const INDEX_BUCKETS: i32 = 8_192;
/** Values of a state (position, velocity) and of its packed upper covariance. */
export const STATE_SIZE: i32 = 6;
export const COV_SIZE: i32 = 21;
export const STATE_BYTES: i32 = STATE_SIZE * 8;
export const COV_BYTES: i32 = COV_SIZE * 8;

// ---------------------------------------------------------------- the arena: byte offsets, one after another
/** Below this address lies the compiler's own static data (tables of Math); the kernel checks at load that it fits. */
export const ARENA_START: i32 = 65_536;

export const TUNING: i32 = ARENA_START;
export const TUNING_SIZE: i32 = 64;

// Sensors: SENSOR_STRIDE f64 a slot. SENSOR_MODEL_SIZE values that the host writes, then what the kernel learns (saved).
export const SENSOR: i32 = TUNING + TUNING_SIZE * 8;
export const SENSOR_STRIDE: i32 = 48;
export const SENSOR_RANGE_MIN_M: i32 = 0;
export const SENSOR_RANGE_MAX_M: i32 = 1;
export const SENSOR_FOV_RAD: i32 = 2;
export const SENSOR_EL_MIN_RAD: i32 = 3;
export const SENSOR_EL_MAX_RAD: i32 = 4;
export const SENSOR_PD_P0: i32 = 5;
export const SENSOR_PD_R50_M: i32 = 6;
export const SENSOR_PD_SLOPE: i32 = 7;
export const SENSOR_PD_FLOOR: i32 = 8;
export const SENSOR_FALSE_ALARMS: i32 = 9;
/** What it measures, MEAS_KIND_*: the kind of its scans, so that one without measurements has a kind, too. */
export const SENSOR_KIND: i32 = 10;
/** 1 for reports that targets make of themselves (Remote ID, ADS-B, blue force). */
export const SENSOR_COOPERATIVE: i32 = 11;
/** 1 for sensors that detect what a target emits (RF, acoustic): a miss is no evidence against one that may be silent. */
export const SENSOR_HEARS_EMISSIONS: i32 = 12;
/** Names the sensor and its profile (sensorKeyOf of the host); 0 in a row that was never set. The kernel does not read it. */
export const SENSOR_KEY: i32 = 13;
export const SENSOR_MODEL_SIZE: i32 = 20;
/** Learnt: running mean of the normalised innovation squared over its degrees of freedom, and the number of updates. */
export const SENSOR_NIS_MEAN: i32 = 20;
export const SENSOR_NIS_COUNT: i32 = 21;
/** Learnt: constant errors (azimuth rad, range m, clock s), their packed covariance, samples, 1 when they are corrected. */
export const SENSOR_BIAS: i32 = 22;
export const BIAS_AZ: i32 = 0;
export const BIAS_RANGE: i32 = 1;
export const BIAS_CLOCK: i32 = 2;
export const SENSOR_BIAS_COV: i32 = 25;
export const SENSOR_BIAS_COUNT: i32 = 31;
export const SENSOR_BIAS_CORRECTED: i32 = 32;
/** Learnt: smoothed number of unexplained measurements in a scan above the declared false alarms; and scans. */
export const SENSOR_SURPLUS: i32 = 33;
export const SENSOR_SCANS: i32 = 34;

// Head: numbers of rows in use, and counts of what a capacity ended. HEAD_SIZE f64.
export const HEAD: i32 = SENSOR + SENSOR_CAPACITY * SENSOR_STRIDE * 8;
export const HEAD_SIZE: i32 = 16;
export const HEAD_TRACK_COUNT: i32 = 0;
export const HEAD_DROPPED_FOR_CAPACITY: i32 = 1;
export const HEAD_SEARCHES_CUT: i32 = 2;
export const HEAD_BEARING_COUNT: i32 = 3;
export const HEAD_ANCHOR_COUNT: i32 = 4;
/** Sensor rows in use; written by the host. */
export const HEAD_SENSOR_COUNT: i32 = 5;

// Track table: one column for each quantity, of f64 or of vectors of f64. The scalar columns stand together.
export const TRACK_KEY: i32 = HEAD + HEAD_SIZE * 8;
export const TRACK_TIME_US: i32 = TRACK_KEY + TRACK_CAPACITY * 8;
export const TRACK_EXISTENCE: i32 = TRACK_TIME_US + TRACK_CAPACITY * 8;
/** Index into TRACK_STATUS of the host. */
export const TRACK_STATUS_CODE: i32 = TRACK_EXISTENCE + TRACK_CAPACITY * 8;
export const TRACK_FIRST_US: i32 = TRACK_STATUS_CODE + TRACK_CAPACITY * 8;
export const TRACK_LAST_US: i32 = TRACK_FIRST_US + TRACK_CAPACITY * 8;
export const TRACK_HITS: i32 = TRACK_LAST_US + TRACK_CAPACITY * 8;
export const TRACK_MISSES: i32 = TRACK_HITS + TRACK_CAPACITY * 8;
/** Hits by sensors that are not cooperative; 0 for a track that only its own reports update. */
export const TRACK_OWN_HITS: i32 = TRACK_MISSES + TRACK_CAPACITY * 8;
/** 1 for a ray: a direction from one sensor. Then the mean is az, el, 0, az rate, el rate, 0 in that sensor's frame. */
export const TRACK_RAY: i32 = TRACK_OWN_HITS + TRACK_CAPACITY * 8;
/** Slot of the sensor that started it. */
export const TRACK_SLOT: i32 = TRACK_RAY + TRACK_CAPACITY * 8;
export const TRACK_CLAIM: i32 = TRACK_SLOT + TRACK_CAPACITY * 8;
/** Log-odds that the claim is the track's (claim.ts). */
export const TRACK_CLAIM_SCORE: i32 = TRACK_CLAIM + TRACK_CAPACITY * 8;
export const TRACK_RCS_DBSM: i32 = TRACK_CLAIM_SCORE + TRACK_CAPACITY * 8;
/** Log-odds of "a fixed reflector" against "it flies"; from REFLECTOR_SETTLED down it flies for good. */
export const TRACK_REFLECTOR_LOGIT: i32 = TRACK_RCS_DBSM + TRACK_CAPACITY * 8;
/** Smoothed time between updates, s. */
export const TRACK_PERIOD_S: i32 = TRACK_REFLECTOR_LOGIT + TRACK_CAPACITY * 8;
/** Until this time two rows that an operator split are not merged as duplicates. */
export const TRACK_APART_UNTIL_US: i32 = TRACK_PERIOD_S + TRACK_CAPACITY * 8;
/** Probability of each motion model. */
export const TRACK_MODEL: i32 = TRACK_APART_UNTIL_US + TRACK_CAPACITY * 8;
/** State of each model: e n u ve vn vu, m and m/s. */
export const TRACK_MEAN: i32 = TRACK_MODEL + TRACK_CAPACITY * MODEL_COUNT * 8;
/** Packed upper covariance of each model, row by row. */
export const TRACK_COV: i32 = TRACK_MEAN + TRACK_CAPACITY * MODEL_COUNT * STATE_SIZE * 8;
/** The fixed-reflector hypothesis: its position and packed covariance. */
export const TRACK_REFLECTOR_MEAN: i32 = TRACK_COV + TRACK_CAPACITY * MODEL_COUNT * COV_SIZE * 8;
export const TRACK_REFLECTOR_COV: i32 = TRACK_REFLECTOR_MEAN + TRACK_CAPACITY * 3 * 8;
/** CONTRIBUTORS_MAX sensors a track: slot (-1 is empty), time of the last hit, hits. */
export const TRACK_CONTRIBUTOR_SLOT: i32 = TRACK_REFLECTOR_COV + TRACK_CAPACITY * 6 * 8;
export const TRACK_CONTRIBUTOR_LAST_US: i32 = TRACK_CONTRIBUTOR_SLOT + TRACK_CAPACITY * CONTRIBUTORS_MAX * 8;
export const TRACK_CONTRIBUTOR_HITS: i32 = TRACK_CONTRIBUTOR_LAST_US + TRACK_CAPACITY * CONTRIBUTORS_MAX * 8;

// Unexplained bearings: BEARING_STRIDE f64 a row.
export const BEARING: i32 = TRACK_CONTRIBUTOR_HITS + TRACK_CAPACITY * CONTRIBUTORS_MAX * 8;
export const BEARING_STRIDE: i32 = 16;
export const BEARING_TIME_US: i32 = 0;
export const BEARING_SLOT: i32 = 1;
export const BEARING_EAST_M: i32 = 2;
export const BEARING_NORTH_M: i32 = 3;
export const BEARING_UP_M: i32 = 4;
/** Unit vector in the room's axes; 1 where its elevation was measured, too. */
export const BEARING_DIR_E: i32 = 5;
export const BEARING_DIR_N: i32 = 6;
export const BEARING_DIR_U: i32 = 7;
export const BEARING_HAS_EL: i32 = 8;
export const BEARING_SIGMA_AZ_RAD: i32 = 9;
export const BEARING_SIGMA_EL_RAD: i32 = 10;
export const BEARING_RANGE_MAX_M: i32 = 11;
/** Key of the measurement, from which the key of a track that it helps to start follows. */
export const BEARING_KEY: i32 = 12;

// Anchors: ANCHOR_STRIDE f64 a row.
export const ANCHOR: i32 = BEARING + BEARING_CAPACITY * BEARING_STRIDE * 8;
export const ANCHOR_STRIDE: i32 = 32;
export const ANCHOR_CLAIM: i32 = 0;
export const ANCHOR_TIME_US: i32 = 1;
export const ANCHOR_REPORTS: i32 = 2;
export const ANCHOR_MEAN: i32 = 3;
export const ANCHOR_COV: i32 = 9;

/** End of the state. */
export const STATE_END: i32 = ANCHOR + ANCHOR_CAPACITY * ANCHOR_STRIDE * 8;

// One scan, written by the host.
export const MEAS: i32 = STATE_END;
/** Where the sensor stands in the room, the rotation of its axes to the room's (3 x 3, row by row), its attitude in rad. */
export const POSE: i32 = MEAS + SCAN_MEASUREMENTS_MAX * MEAS_STRIDE * 8;
export const POSE_EAST_M: i32 = 0;
export const POSE_NORTH_M: i32 = 1;
export const POSE_UP_M: i32 = 2;
export const POSE_ROTATION: i32 = 3;
export const POSE_YAW: i32 = 12;
export const POSE_PITCH: i32 = 13;
export const POSE_ROLL: i32 = 14;
export const POSE_BLIND_COUNT: i32 = 15;
/** Blind sectors: azimuth from true north, width clockwise from it, elevation up to which it hides; rad. */
export const POSE_BLIND: i32 = 16;
export const BLIND_STRIDE: i32 = 3;
export const BLIND_MAX: i32 = 64;
export const POSE_SIZE: i32 = POSE_BLIND + BLIND_MAX * BLIND_STRIDE;

// Scratch of one scan. A candidate is a track that the scan may concern.
export const CAND_ROW: i32 = POSE + POSE_SIZE * 8;
export const CAND_PD: i32 = CAND_ROW + TRACK_CAPACITY * 4;
/** First pair of the candidate; the entry behind the last candidate ends its pairs. i32 */
export const CAND_PAIR: i32 = CAND_PD + TRACK_CAPACITY * 8;
/** Predicted measurement of each model, and its packed covariance H P H'. */
export const PROJECTED_SIZE: i32 = 6;
export const CAND_Z: i32 = CAND_PAIR + (TRACK_CAPACITY + 2) * 4;
export const CAND_S: i32 = CAND_Z + TRACK_CAPACITY * MODEL_COUNT * PROJECTED_SIZE * 8;
/** Weight w_i0 of "not detected" (associate.ts). */
export const CAND_W0: i32 = CAND_S + TRACK_CAPACITY * MODEL_COUNT * COV_SIZE * 8;
/** Marginal probability b_i0 of "not detected". */
export const CAND_B0: i32 = CAND_W0 + TRACK_CAPACITY * 8;
/** Union-find over the candidates and, behind them, the measurements. i32 */
export const CLUSTER_PARENT: i32 = CAND_B0 + TRACK_CAPACITY * 8;
export const CLUSTER_PARENT_SIZE: i32 = TRACK_CAPACITY + SCAN_MEASUREMENTS_MAX;
/** Candidates sorted by cluster, where each cluster starts, and the cluster of each node. i32 */
export const CLUSTER_MEMBER: i32 = CLUSTER_PARENT + CLUSTER_PARENT_SIZE * 4;
export const CLUSTER_START: i32 = CLUSTER_MEMBER + TRACK_CAPACITY * 4;
export const CLUSTER_NUMBER: i32 = CLUSTER_START + (TRACK_CAPACITY + 2) * 4;
export const PAIR_MEAS: i32 = CLUSTER_NUMBER + CLUSTER_PARENT_SIZE * 4;
export const PAIR_D2: i32 = PAIR_MEAS + PAIRS_MAX * 4;
/** Likelihood of the pair under each model. */
export const PAIR_L: i32 = PAIR_D2 + PAIRS_MAX * 8;
/** Association weight w_ij, marginal b_ij, and the messages mu_ij and nu_ji. */
export const PAIR_W: i32 = PAIR_L + PAIRS_MAX * MODEL_COUNT * 8;
export const PAIR_B: i32 = PAIR_W + PAIRS_MAX * 8;
export const PAIR_TO_MEAS: i32 = PAIR_B + PAIRS_MAX * 8;
export const PAIR_TO_TRACK: i32 = PAIR_TO_MEAS + PAIRS_MAX * 8;
/** Of each measurement: density of clutter and births, sum of its marginals, sum of its messages mu_ij. */
export const MEAS_KAPPA: i32 = PAIR_TO_TRACK + PAIRS_MAX * 8;
export const MEAS_EXPLAINED: i32 = MEAS_KAPPA + SCAN_MEASUREMENTS_MAX * 8;
export const MEAS_SUM: i32 = MEAS_EXPLAINED + SCAN_MEASUREMENTS_MAX * 8;
/** Cell of the measurement in the index, and the next one of its bucket. i32 */
export const MEAS_CELL_X: i32 = MEAS_SUM + SCAN_MEASUREMENTS_MAX * 8;
export const MEAS_CELL_Y: i32 = MEAS_CELL_X + SCAN_MEASUREMENTS_MAX * 4;
export const MEAS_NEXT: i32 = MEAS_CELL_Y + SCAN_MEASUREMENTS_MAX * 4;
/** Row of the track that a report outside its gate shows to manoeuvre, or a negative code (manoeuvre.ts). i32 */
export const MEAS_MANOEUVRED_ROW: i32 = MEAS_NEXT + SCAN_MEASUREMENTS_MAX * 4;
/** What became of the measurement: OUTCOME_*. i32 */
export const MEAS_OUTCOME: i32 = MEAS_MANOEUVRED_ROW + SCAN_MEASUREMENTS_MAX * 4;
/** Key of the track that it updated or started, 0 for none. */
export const MEAS_TRACK_KEY: i32 = MEAS_OUTCOME + SCAN_MEASUREMENTS_MAX * 4;
export const INDEX_HEAD: i32 = MEAS_TRACK_KEY + SCAN_MEASUREMENTS_MAX * 8;
/** Vectors and matrices of one calculation. Each file of the kernel has its own, one behind the other. */
export const WORK: i32 = INDEX_HEAD + INDEX_BUCKETS * 4;
export const WORK_PREDICT: i32 = WORK;
export const WORK_MEASURE: i32 = WORK_PREDICT + 8 * 8;
export const WORK_UPDATE: i32 = WORK_MEASURE + 88 * 8;
export const WORK_HYPOTHESES: i32 = WORK_UPDATE + 32 * 8;
export const WORK_INITIATE: i32 = WORK_HYPOTHESES + 72 * 8;
export const WORK_REFLECTOR: i32 = WORK_INITIATE + 8 * 8;
export const WORK_READOUT: i32 = WORK_REFLECTOR + 64 * 8;
export const WORK_RAYS: i32 = WORK_READOUT + 88 * 8;
export const WORK_REGISTRATION: i32 = WORK_RAYS + 8 * 8;
export const WORK_MANOEUVRE: i32 = WORK_REGISTRATION + 48 * 8;
export const WORK_EDITS: i32 = WORK_MANOEUVRE + 32 * 8;
export const WORK_END: i32 = WORK_EDITS + 32 * 8;

// SCRATCH: tables laid over others of the scan, by the phase that uses them; no table is laid over another outside this
// section. A phase ends before the owner of the memory writes to it, or starts after its last read. checkArena() has an
// ERROR for each, so that a changed capacity fails the build.
//
//                     gate               associate          update, rays        sweep
//   CLUSTER_PARENT    GATE_CLAIM_HEAD    union-find                             SWEEP_MERGE_NEXT
//   CLUSTER_MEMBER                       cluster members    RAYS_ROW            SWEEP_HEAP
//   CLUSTER_NUMBER    GATE_CLAIM_NEXT    cluster numbers                        SWEEP_PLACE
//   MEAS_SUM          GATE_CLAIM_SHARE   message sums
//   INDEX_HEAD        cells of the scan                                         SWEEP_MERGE_HEAD
//   CAND_B0, CAND_W0                     marginals          marginals           SWEEP_SURVIVOR, SWEEP_SURVIVOR_KEY
//
/** Gate: the scan's claims by bucket, and the next measurement of a bucket. i32 */
export const GATE_CLAIM_HEAD: i32 = CLUSTER_PARENT;
export const GATE_CLAIM_NEXT: i32 = CLUSTER_NUMBER;
/** Gate: the distance of a claimed report from its track, as a share of what the aircraft can have flown. */
export const GATE_CLAIM_SHARE: i32 = MEAS_SUM;
/** Rays: rows of the ray tracks of the scan's sensor. i32 */
export const RAYS_ROW: i32 = CLUSTER_MEMBER;
/** Sweep, merging: rows by bucket, and the next row of a bucket. i32 */
export const SWEEP_MERGE_HEAD: i32 = INDEX_HEAD;
export const SWEEP_MERGE_NEXT: i32 = CLUSTER_PARENT;
/** Sweep, merging: row that a row merges into, plus one, 0 for none; and the key of the track that is left in the end. */
export const SWEEP_SURVIVOR: i32 = CAND_B0;
export const SWEEP_SURVIVOR_KEY: i32 = CAND_W0;
/** Sweep, capacity: a heap of rows with the weakest at its root, and the place of each row in it. i32 */
export const SWEEP_HEAP: i32 = CLUSTER_MEMBER;
export const SWEEP_PLACE: i32 = CLUSTER_NUMBER;

// Ended tracks. Not part of the state: the host reads each once.
export const ENDED: i32 = WORK_END;
export const ENDED_KEY: i32 = 0;
/** ENDED_STALE, ENDED_MERGED or ENDED_CAPACITY_REASON. */
export const ENDED_REASON: i32 = 1;
export const ENDED_SURVIVOR_KEY: i32 = 2;
export const ENDED_STRIDE: i32 = 3;

// The table that readTracks fills: OUT_STRIDE f64 a row.
export const OUT: i32 = ENDED + ENDED_CAPACITY * ENDED_STRIDE * 8;
export const OUT_STRIDE: i32 = 24;
/** Mean over the models, 6; packed covariance of position and of velocity, 6 each; angles of a ray and their sigma, rad. */
export const OUT_MEAN: i32 = 0;
export const OUT_COV_POS: i32 = 6;
export const OUT_COV_VEL: i32 = 12;
export const OUT_EXISTENCE: i32 = 18;
export const OUT_MANOEUVRE: i32 = 19;
export const OUT_RAY_AZ: i32 = 20;
export const OUT_RAY_EL: i32 = 21;
export const OUT_RAY_SIGMA: i32 = 22;
/** 1 for rows that changed; the host clears it when it has read them. u8 */
export const TRACK_TOUCHED: i32 = OUT + TRACK_CAPACITY * OUT_STRIDE * 8;

// The record of one scan for explaining it: pairs inside gates, and candidate tracks before and after.
export const EXPLAIN_PAIR: i32 = TRACK_TOUCHED + TRACK_CAPACITY;
export const EXPLAIN_PAIR_MEAS: i32 = 0;
export const EXPLAIN_PAIR_TRACK_KEY: i32 = 1;
export const EXPLAIN_PAIR_D2: i32 = 2;
export const EXPLAIN_PAIR_LIMIT: i32 = 3;
export const EXPLAIN_PAIR_LOG_L: i32 = 4;
export const EXPLAIN_PAIR_PD: i32 = 5;
export const EXPLAIN_PAIR_STRIDE: i32 = 6;
export const EXPLAIN_TRACK: i32 = EXPLAIN_PAIR + EXPLAIN_PAIRS_MAX * EXPLAIN_PAIR_STRIDE * 8;
export const EXPLAIN_KEY: i32 = 0;
export const EXPLAIN_NIS: i32 = 1;
export const EXPLAIN_EXISTENCE_BEFORE: i32 = 2;
export const EXPLAIN_EXISTENCE_AFTER: i32 = 3;
export const EXPLAIN_STATUS_BEFORE: i32 = 4;
export const EXPLAIN_STATUS_AFTER: i32 = 5;
export const EXPLAIN_MISSED: i32 = 6;
export const EXPLAIN_RAY: i32 = 7;
export const EXPLAIN_MODELS_BEFORE: i32 = 8;
export const EXPLAIN_MODELS_AFTER: i32 = EXPLAIN_MODELS_BEFORE + MODEL_COUNT;
export const EXPLAIN_MEAN_BEFORE: i32 = EXPLAIN_MODELS_AFTER + MODEL_COUNT;
export const EXPLAIN_COV_BEFORE: i32 = EXPLAIN_MEAN_BEFORE + STATE_SIZE;
export const EXPLAIN_MEAN_AFTER: i32 = EXPLAIN_COV_BEFORE + COV_SIZE;
export const EXPLAIN_COV_AFTER: i32 = EXPLAIN_MEAN_AFTER + STATE_SIZE;
export const EXPLAIN_TRACK_STRIDE: i32 = EXPLAIN_COV_AFTER + COV_SIZE;
export const ARENA_END: i32 = EXPLAIN_TRACK + EXPLAIN_TRACKS_MAX * EXPLAIN_TRACK_STRIDE * 8;
/** Pages of 64 KiB: the memory has its final size from the start. */
export const MEMORY_PAGES: i32 = 640;

// ---------------------------------------------------------------- codes
export const STATUS_TENTATIVE: i32 = 0;
export const STATUS_CONFIRMED: i32 = 1;
export const STATUS_COASTING: i32 = 2;
export const OUTCOME_CLUTTER: i32 = 0;
export const OUTCOME_UPDATED: i32 = 1;
export const OUTCOME_INITIATED: i32 = 2;
export const ENDED_STALE: i32 = 0;
export const ENDED_MERGED: i32 = 1;
export const ENDED_CAPACITY_REASON: i32 = 2;

// ---------------------------------------------------------------- tuning: indices into TUNING
export const TUNE_SHOW: i32 = 0;
export const TUNE_COAST_PERIODS: i32 = 1;
export const TUNE_END_AFTER_S: i32 = 2;
export const TUNE_END_AFTER_COOPERATIVE_S: i32 = 3;
export const TUNE_TRACKS_MAX: i32 = 4;
export const TUNE_HITS_MIN: i32 = 5;
/** Chi-square limits of the gate for 1..6 components. */
export const TUNE_GATE_LIMIT: i32 = 6;
