/**
 * What drones, sensors and the sky are like, and where the tracker draws its lines: constants only, one `export const` a
 * line, read by asc and by tsc. The memory map is layout.ts.
 */

/** Acceleration noise density of the quiet and of the manoeuvring model, horizontal and vertical, m^2/s^3. */
export const QUIET_PSD_H: f64 = 0.04;
export const QUIET_PSD_V: f64 = 0.02;
export const MANOEUVRE_PSD_H: f64 = 16.0;
export const MANOEUVRE_PSD_V: f64 = 1.0;
/** Mean time that a drone stays quiet, and stays in a manoeuvre, s. */
export const QUIET_SOJOURN_S: f64 = 60.0;
export const MANOEUVRE_SOJOURN_S: f64 = 8.0;
/** Probability that a new track is manoeuvring. */
export const MANOEUVRE_AT_BIRTH: f64 = 0.1;
/** Prior spread of the velocity of a new target, each component, m/s. */
export const BIRTH_SPEED_H_MPS: f64 = 10.0;
export const BIRTH_SPEED_V_MPS: f64 = 2.0;
/** Height above the sensor assumed where nothing measures it, and its spread, m. */
export const BIRTH_HEIGHT_M: f64 = 80.0;
export const BIRTH_HEIGHT_SIGMA_M: f64 = 60.0;
/** Mean life of a target inside the picture, s. */
export const SURVIVAL_S: f64 = 150.0;
export const EXISTENCE_MAX: f64 = 0.9995;
/** New targets a scan that a sensor may expect, at least. */
export const BIRTHS_PER_SCAN: f64 = 0.2;
/** Expected new targets are a volume's false alarms away from the noise: at least so many, so that no density is zero. */
export const FALSE_ALARMS_MIN: f64 = 0.02;
/** A sensor that detected for certain would make one miss the end of a track. */
export const PD_MAX: f64 = 0.995;
/** Clutter Doppler is uniform over plus and minus this, m/s. */
export const CLUTTER_DOPPLER_MPS: f64 = 25.0;
/** Height of the volume that position reports may come from, m. */
export const POSITION_VOLUME_HEIGHT_M: f64 = 500.0;
/** Under this existence a track is dropped at the next sweep. */
export const EXISTENCE_FLOOR: f64 = 0.0005;
/** Unexplained enough to start a track; existence at most. */
export const INITIATE_UNEXPLAINED_MIN: f64 = 0.5;
export const INITIATE_EXISTENCE_MAX: f64 = 0.5;
/** Hypotheses under this weight are left out of the mixture. */
export const HYPOTHESIS_WEIGHT_MIN: f64 = 0.001;
/** Belief propagation: sweeps at most, and the change that ends it. */
export const BELIEF_SWEEPS_MAX: i32 = 60;
export const BELIEF_CHANGE_MIN: f64 = 1e-5;
/** Edge of an index cell, m; rad for bearings. */
export const INDEX_CELL_M: f64 = 64.0;
export const INDEX_CELL_RAD: f64 = 0.02;
/**
 * A target's measurements are to stay inside its gate with the configured probability over so many looks, not in one: a
 * gate that loses one in a hundred breaks tracks (mean GOSPA ratio 0.857 instead of 0.844, docs/adr/0013).
 */
export const GATE_LOOKS: f64 = 20.0;
/** Half-widths of a search in sigmas, at least; as wide as the chi-square gate. Over so many cells, every measurement is looked at. */
export const SEARCH_SIGMAS: f64 = 4.8;
export const SEARCH_CELLS_MAX: i32 = 49;
/** A position report with the track's own claim is this much likelier to be its own; with another claim, so much less. */
export const CLAIM_SAME_FACTOR: f64 = 1e4;
export const CLAIM_OTHER_FACTOR: f64 = 1e-4;
/** Bounds of the claim score (log-odds), its step at full agreement, and where it is believed. */
export const CLAIM_SCORE_MAX: f64 = 12.0;
export const CLAIM_SCORE_SHOWN: f64 = 0.5;
/** What repeats a believed claim may have flown so fast (or so much faster than it was seen to fly) and so hard, m/s, m/s^2. */
export const CLAIM_SPEED_MPS: f64 = 80.0;
export const CLAIM_SPEED_FACTOR: f64 = 1.5;
export const CLAIM_ACCELERATION_MPS2: f64 = 20.0;
/** Times of reports are off by this, s; a manoeuvre lasts at least so long, s; an old word says no more about now after this, s. */
export const CLAIM_SLACK_S: f64 = 0.5;
export const CLAIM_MANOEUVRE_S: f64 = 1.0;
export const CLAIM_GAP_MAX_S: f64 = 10.0;
/** Positions worse than this are no picture: the track is dropped, m. */
export const POSITION_SIGMA_MAX_M: f64 = 400.0;
/** Duplicates: tracks nearer than this in position (m), velocity (m/s) and joint chi-square are one. */
export const MERGE_DISTANCE_M: f64 = 12.0;
export const MERGE_CHI2: f64 = 2.0;
/** Doubles: at least one of the two is this unsure of itself. */
export const MERGE_EXISTENCE_MAX: f64 = 0.9;
/**
 * The two objects of a track that an operator split: each is about this far from where the track was (m) and flies about
 * this much otherwise (m/s); and for so long (s) the two are not taken for doubles, so that their sensors can tell them apart.
 */
export const SPLIT_SPREAD_M: f64 = 15.0;
export const SPLIT_SPEED_SPREAD_MPS: f64 = 10.0;
export const SPLIT_APART_S: f64 = 20.0;
/** Exponent on the marginals of one track's measurements; 1 is plain belief propagation. */
export const MARGINAL_SHARPNESS: f64 = 12.0;
/** Fixed reflectors: log-odds under which a track has proved that it flies, over which it is not shown, bounds of both. */
export const REFLECTOR_SETTLED: f64 = -6.0;
export const REFLECTOR_SHOWN_MAX: f64 = 2.0;
export const REFLECTOR_LOGIT_MAX: f64 = 12.0;
export const REFLECTOR_STEP_MAX: f64 = 4.0;
/** Doppler of something that stands still, (m/s)^2. */
export const REFLECTOR_SPEED_VARIANCE: f64 = 0.01;
/** Bearings are kept so long, and cross those so much older, s. */
export const BEARING_KEEP_S: f64 = 5.0;
export const BEARING_CROSS_S: f64 = 1.5;
/** Lines that cross flatter say little of the range; and a crossing is a ghost more often than a target. */
export const CROSSING_SIN_MIN: f64 = 0.2;
export const CROSSING_EXISTENCE: f64 = 0.15;
/** Anchors: acceleration noise of a cooperative emitter, m^2/s^3; a longer gap starts it anew, s; oldest to compare, s. */
export const ANCHOR_PSD: f64 = 1.0;
export const ANCHOR_GAP_S: f64 = 10.0;
export const ANCHOR_AGE_MAX_S: f64 = 1.5;
/** Reports that an anchor needs before a sensor is judged by it. */
export const ANCHOR_REPORTS_MIN: f64 = 4.0;
/** Variance of an anchor's velocity while no report has told it, (m/s)^2. */
export const ANCHOR_SPEED_VARIANCE: f64 = 100.0;
/** Prior spread of a sensor's constant errors, and samples before they are believed. */
export const BIAS_AZ_SIGMA_RAD: f64 = 0.02;
export const BIAS_RANGE_SIGMA_M: f64 = 10.0;
export const BIAS_CLOCK_SIGMA_S: f64 = 0.3;
export const BIAS_SAMPLES_MIN: f64 = 10.0;
/** Claim score from which a track may teach a sensor its errors. */
export const BIAS_CLAIM_SCORE_MIN: f64 = 3.0;
/** Squared sigmas: beyond the first a residual is an outlier, beyond the second an error is certain. */
export const BIAS_OUTLIER_D2: f64 = 16.0;
export const BIAS_CERTAIN_D2: f64 = 9.0;
/** How fast the expected number of new targets follows what a sensor sees. */
export const SURPLUS_GAIN: f64 = 0.4;
/** Smallest gain of a sensor's running mean of the normalised innovation squared: about its last hundred updates count. */
export const NIS_GAIN_MIN: f64 = 0.01;
/** Association probability from which a detection counts as a hit, and from which it may teach a sensor's constant errors. */
export const HIT_PROBABILITY: f64 = 0.5;
export const BIAS_PROBABILITY_MIN: f64 = 0.9;
/** A look that would see the target with less than this probability counts no miss. */
export const MISS_PD_MIN: f64 = 0.3;
/** Probability of detection from which a track's row counts as changed. */
export const TOUCH_PROBABILITY_MIN: f64 = 0.01;
/** Weight of one more radar cross-section in a track's smoothed one. */
export const RCS_GAIN: f64 = 0.2;
/** Bearings of one sensor after which a track counts as one that emits. */
export const HEARD_HITS_MIN: f64 = 4.0;
/** A report's near tracks: those that at this speed (m/s), these sigmas and this margin (m) reach it. */
export const NEAR_SPEED_MPS: f64 = 120.0;
export const NEAR_SIGMAS: f64 = 6.0;
export const NEAR_MARGIN_M: f64 = 50.0;
