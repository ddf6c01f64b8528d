/**
 * Constants of the sky and of the algorithm: how targets move and sensors err, and where each step draws its lines. One
 * `export const` a line, read by asc and by tsc. The memory map is layout.ts. Changing a value changes tracks: evaluate.
 */

// ---------------------------------------------------------------- motion of targets
/** Acceleration noise density of the quiet model, horizontal and vertical, m^2/s^3. */
export const QUIET_PSD_H: f64 = 0.04;
export const QUIET_PSD_V: f64 = 0.02;
/** Acceleration noise density of the manoeuvring model, m^2/s^3. */
export const MANOEUVRE_PSD_H: f64 = 16.0;
export const MANOEUVRE_PSD_V: f64 = 1.0;
/** Mean time for which a drone stays quiet, s. */
export const QUIET_SOJOURN_S: f64 = 60.0;
/** Mean time for which it manoeuvres, s. */
export const MANOEUVRE_SOJOURN_S: f64 = 8.0;
/** Probability that a new track manoeuvres. */
export const MANOEUVRE_AT_BIRTH: f64 = 0.1;
/** Prior sigma of a new target's velocity, each component, m/s. */
export const BIRTH_SPEED_H_MPS: f64 = 10.0;
export const BIRTH_SPEED_V_MPS: f64 = 2.0;
/** Height above the sensor where none is measured, and its sigma, m. */
export const BIRTH_HEIGHT_M: f64 = 80.0;
export const BIRTH_HEIGHT_SIGMA_M: f64 = 60.0;

// ---------------------------------------------------------------- existence, births and clutter
/** Mean life of a target inside the picture, s. */
export const SURVIVAL_S: f64 = 150.0;
/** No track is more certain to exist: otherwise no number of misses could end it. */
export const EXISTENCE_MAX: f64 = 0.9995;
/** The sweep ends a track below this existence. */
export const EXISTENCE_FLOOR: f64 = 0.0005;
/** Lower bound on the new targets that a sensor expects in a scan. */
export const BIRTHS_PER_SCAN: f64 = 0.2;
/** Gain of a sensor's expected number of new targets. */
export const SURPLUS_GAIN: f64 = 0.4;
/** Lower bound on the false alarms in a scan; keeps the clutter density above zero. */
export const FALSE_ALARMS_MIN: f64 = 0.02;
/** Range rates of clutter are uniform between plus and minus this, m/s. */
export const CLUTTER_DOPPLER_MPS: f64 = 25.0;
/** False position reports are uniform over this height, m. */
export const POSITION_VOLUME_HEIGHT_M: f64 = 500.0;
/** Upper bound on a probability of detection: one miss must not end a track. */
export const PD_MAX: f64 = 0.995;
/** A measurement starts a track when it is unexplained with at least this probability. */
export const INITIATE_UNEXPLAINED_MIN: f64 = 0.5;
/** Upper bound on the existence of a new track. */
export const INITIATE_EXISTENCE_MAX: f64 = 0.5;

// ---------------------------------------------------------------- gate and search
/** Edge of a cell of the measurement index: m, and rad for bearings. */
export const INDEX_CELL_M: f64 = 64.0;
export const INDEX_CELL_RAD: f64 = 0.02;
/**
 * A target's own measurements lie inside its gate with the configured probability over this many looks together, not
 * in each one: a gate that loses one in a hundred breaks tracks (mean GOSPA ratio 0.857 instead of 0.844,
 * docs/adr/0013).
 */
export const GATE_LOOKS: f64 = 20.0;
/** Least half-width of a search, in sigmas. */
export const SEARCH_SIGMAS: f64 = 4.8;
/** A search over more cells than this tries every measurement instead. */
export const SEARCH_CELLS_MAX: i32 = 49;
/** A track is near a single report when it reaches it at this speed (m/s), with these sigmas and this margin (m). */
export const NEAR_SPEED_MPS: f64 = 120.0;
export const NEAR_SIGMAS: f64 = 6.0;
export const NEAR_MARGIN_M: f64 = 50.0;
/** Factor on the likelihood of a report that claims the identity of the track, and of one that claims another. */
export const CLAIM_SAME_FACTOR: f64 = 1e4;
export const CLAIM_OTHER_FACTOR: f64 = 1e-4;

// ---------------------------------------------------------------- association and update
/** Most sweeps of belief propagation. */
export const BELIEF_SWEEPS_MAX: i32 = 60;
/** Relative change of the messages below which a sweep is the last. */
export const BELIEF_CHANGE_MIN: f64 = 1e-5;
/** Exponent on the marginals of one track's measurements; 1 is plain belief propagation (docs/adr/0010). */
export const MARGINAL_SHARPNESS: f64 = 12.0;
/** A hypothesis with less weight is left out of the mixture. */
export const HYPOTHESIS_WEIGHT_MIN: f64 = 0.001;
/** Association probability above which a detection counts as a hit. */
export const HIT_PROBABILITY: f64 = 0.5;
/** A look that would detect the target with less than this probability counts no miss. */
export const MISS_PD_MIN: f64 = 0.3;
/** Probability of detection above which the host finds the row changed. */
export const TOUCH_PROBABILITY_MIN: f64 = 0.01;
/** Bearings of one sensor from which on a track counts as one that emits. */
export const HEARD_HITS_MIN: f64 = 4.0;
/** Weight of a new radar cross-section in the track's smoothed one. */
export const RCS_GAIN: f64 = 0.2;
/** Weight of a new interval in the smoothed time between updates. */
export const PERIOD_GAIN: f64 = 0.2;
/** Least gain of a sensor's mean normalised innovation: about its last hundred updates count. */
export const NIS_GAIN_MIN: f64 = 0.01;

// ---------------------------------------------------------------- claimed identities
/** Bound of a claim's score, log-odds. */
export const CLAIM_SCORE_MAX: f64 = 12.0;
/** A claim is believed, and shown, from this score on. */
export const CLAIM_SCORE_SHOWN: f64 = 0.5;
/** Top speed of an aircraft between two reports of its claim, m/s; or this factor on the speed that it was seen at. */
export const CLAIM_SPEED_MPS: f64 = 80.0;
export const CLAIM_SPEED_FACTOR: f64 = 1.5;
/** Its acceleration in any direction, m/s^2. */
export const CLAIM_ACCELERATION_MPS2: f64 = 20.0;
/** Error of the time of a report, s. */
export const CLAIM_SLACK_S: f64 = 0.5;
/** Shortest manoeuvre, s. */
export const CLAIM_MANOEUVRE_S: f64 = 1.0;
/**
 * Age after which a position says nothing more about where the aircraft is now, s: the distance flown is bounded by
 * it.
 */
export const CLAIM_GAP_MAX_S: f64 = 10.0;

// ---------------------------------------------------------------- end of tracks, merging and splitting
/** The sweep ends a track whose position is less certain than this, m. */
export const POSITION_SIGMA_MAX_M: f64 = 400.0;
/** Duplicates: largest distance of two rows, m. */
export const MERGE_DISTANCE_M: f64 = 12.0;
/** Duplicates: largest sum of squared normalised differences of their states. */
export const MERGE_CHI2: f64 = 2.0;
/** Duplicates: at least one of the two exists with no more than this probability. */
export const MERGE_EXISTENCE_MAX: f64 = 0.9;
/** An operator's split: how far each object may be from where the track was, m. */
export const SPLIT_SPREAD_M: f64 = 15.0;
/** How much their velocities may differ from the track's, m/s. */
export const SPLIT_SPEED_SPREAD_MPS: f64 = 10.0;
/**
 * How many times as uncertain the second object is as the first: two equal rows would share a plot between them so evenly
 * that both count it as a false alarm (marginals are sharpened, ADR 0010), and either could end when only one object exists.
 */
export const SPLIT_WIDENING: f64 = 2.0;
/** For how long the two rows are not merged as duplicates, s. */
export const SPLIT_APART_S: f64 = 20.0;

// ---------------------------------------------------------------- fixed reflectors
/** Log-odds of 'stands still' at and below which the track is known to fly, for good. */
export const REFLECTOR_SETTLED: f64 = -6.0;
/** Log-odds above which the track is not shown. */
export const REFLECTOR_SHOWN_MAX: f64 = 2.0;
/** Upper bound of the log-odds. */
export const REFLECTOR_LOGIT_MAX: f64 = 12.0;
/** Largest change by one measurement. */
export const REFLECTOR_STEP_MAX: f64 = 4.0;
/** Velocity variance of what stands still, (m/s)^2. */
export const REFLECTOR_SPEED_VARIANCE: f64 = 0.01;

// ---------------------------------------------------------------- bearings
/** How long an unexplained bearing is kept, s. */
export const BEARING_KEEP_S: f64 = 5.0;
/** Largest difference in time of two bearings that cross, s. */
export const BEARING_CROSS_S: f64 = 1.5;
/** Least sine of the angle between them; flatter crossings hardly measure a range. */
export const CROSSING_SIN_MIN: f64 = 0.2;
/** Existence of a track that starts at a crossing; most crossings are ghosts. */
export const CROSSING_EXISTENCE: f64 = 0.15;

// ---------------------------------------------------------------- anchors and sensor registration
/** Acceleration noise density of an anchor, m^2/s^3. */
export const ANCHOR_PSD: f64 = 1.0;
/** An anchor that was silent for longer starts again, s. */
export const ANCHOR_GAP_S: f64 = 10.0;
/** Oldest report of an anchor that a sensor is judged by, s. */
export const ANCHOR_AGE_MAX_S: f64 = 1.5;
/** Fewest reports of an anchor that a sensor is judged by. */
export const ANCHOR_REPORTS_MIN: f64 = 4.0;
/** Variance of an anchor's velocity before a report measures it, (m/s)^2. */
export const ANCHOR_SPEED_VARIANCE: f64 = 100.0;
/** Prior sigmas of a sensor's constant errors: azimuth (rad), range (m), clock (s). */
export const BIAS_AZ_SIGMA_RAD: f64 = 0.02;
export const BIAS_RANGE_SIGMA_M: f64 = 10.0;
export const BIAS_CLOCK_SIGMA_S: f64 = 0.3;
/** Fewest samples before the errors are corrected or reported. */
export const BIAS_SAMPLES_MIN: f64 = 10.0;
/** Association probability above which a measurement teaches its sensor's errors. */
export const BIAS_PROBABILITY_MIN: f64 = 0.9;
/** Claim score from which on a track does. */
export const BIAS_CLAIM_SCORE_MIN: f64 = 3.0;
/** Squared normalised residual above which a sample is an outlier. */
export const BIAS_OUTLIER_D2: f64 = 16.0;
/** Squared normalised error above which it is certain, and so corrected. */
export const BIAS_CERTAIN_D2: f64 = 9.0;
