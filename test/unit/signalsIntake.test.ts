/**
 * Which observations a push accepts, counts and refuses (docs/interface.md#signals, #environment, #answer-of-a-push,
 * #observations), with a room that only collects scans.
 */
import { pack } from "msgpackr";
import { describe, expect, test } from "vitest";
import { MEAS_CLAIM, MEAS_STRIDE } from "../../assembly/layout.ts";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { NDJSON_TYPE } from "../../src/features/signals/parse.ts";
import { NOW_MS, POSE, push, pushBytes, replyOf, SignalsRoom } from "../support/signalsRoom.ts";

const radar = (more: object = {}) => ({
  source_id: "r1",
  modality: "radar",
  measured_at: NOW_MS,
  sensor_pose: POSE,
  az_deg: 10,
  range_m: 900,
  ...more,
});
const scan = (detections: unknown, more: object = {}) => ({
  source_id: "r1",
  modality: "radar",
  measured_at: NOW_MS,
  sensor_pose: POSE,
  detections,
  ...more,
});
const plot = (more: object = {}) => ({ az_deg: 10, el_deg: 3, range_m: 900, ...more });
const fix = (more: object = {}) => ({
  source_id: "rid",
  modality: "remote_id",
  measured_at: NOW_MS,
  uas_id: "1581F",
  lat: 51.18,
  lon: -1.73,
  ...more,
});

describe("forms", () => {
  test("[SG-1] one observation, a list and scans are taken", () => {
    const room = new SignalsRoom();
    expect(replyOf(push(room, radar())).accepted).toBe(1);
    expect(replyOf(push(room, { signals: [radar(), radar({ az_deg: 20 })] })).accepted).toBe(2);
    expect(replyOf(push(room, { scans: [scan([plot(), plot()]), scan([plot()], { source_id: "r2" })] })).accepted).toBe(
      3,
    );
    expect(room.inputs.map((i) => [i.scan.count, i.scan.complete])).toEqual([
      [1, false],
      [2, false],
      [2, true],
      [1, true],
    ]);
  });

  test("[SG-1] the answer has exactly the counts of the interface, and unknown_members", () => {
    expect(replyOf(push(new SignalsRoom(), radar()))).toEqual({
      accepted: 1,
      duplicates: 0,
      late: 0,
      quarantined: 0,
      rejected: [],
      rejected_count: 0,
      unknown_members: 0,
      tick: 1,
    });
  });

  test("[SG-2] an empty scan is a look that saw nothing, not a failure", () => {
    const room = new SignalsRoom();
    expect(replyOf(push(room, { scans: [scan([])] })).accepted).toBe(0);
    expect(room.inputs[0]!.scan).toMatchObject({ count: 0, complete: true, sourceId: "r1" });
  });

  test("[SG-3] NDJSON has an observation or a scan on each line; index is the line", () => {
    const room = new SignalsRoom();
    const lines = [radar(), scan([plot(), plot({ az_deg: 400 })]), fix({ lat: 91 })]
      .map((o) => JSON.stringify(o))
      .join("\n\n");
    const reply = replyOf(pushBytes(room, Buffer.from(`${lines}\n`), NDJSON_TYPE));
    expect(reply).toMatchObject({ accepted: 2, rejected_count: 2 });
    expect(reply.rejected.map((r) => [r.index, r.detection, r.code])).toEqual([
      [2, 1, "bad_geometry"],
      [4, undefined, "bad_geometry"],
    ]);
  });

  test("[SG-3] a broken line is a 400 that names it", () => {
    const refused = pushBytes(new SignalsRoom(), Buffer.from(`${JSON.stringify(radar())}\n{"a":}\n`), NDJSON_TYPE);
    expect(refused).toEqual({ code: "invalid_input", sentence: expect.stringMatching(/^line 2: .*offset 5/) });
  });

  test.each([
    ["null", "null"],
    ["an array", "[]"],
    ["a number", "7"],
    ["no form", "{}"],
    ["both forms", '{"signals":[],"scans":[]}'],
    ["no array", '{"scans":{}}'],
    ["a bare scan", JSON.stringify(scan([]))],
    ["not JSON", '{"signals":[1,]}'],
    ["a byte order mark", '\ufeff{"signals":[]}'],
  ])("[SG-4] %s is none of the forms: 400", (_what, body) => {
    const room = new SignalsRoom();
    expect(push(room, body)).toMatchObject({ code: "invalid_input" });
    expect(room.inputs).toEqual([]);
  });

  test("[SG-4] malformed JSON is refused with its position", () => {
    expect(push(new SignalsRoom(), '{"signals":\n[1,]}')).toMatchObject({
      sentence: expect.stringMatching(/line 2, column 4/),
    });
  });

  test("[SG-5] more than 10 000 observations are 413; an empty scan counts as one", () => {
    const many = (n: number) => ({ scans: Array.from({ length: n }, () => scan([])) });
    expect(push(new SignalsRoom(), many(10_001))).toMatchObject({ code: "payload_too_large" });
    expect(push(new SignalsRoom(), { scans: [scan(new Array(10_001).fill({}))] })).toMatchObject({
      code: "payload_too_large",
    });
    expect(replyOf(push(new SignalsRoom(), many(10_000))).rejected_count).toBe(0);
  });
});

describe("acceptance and rejection", () => {
  test.each([
    ["latitude 91", fix({ lat: 91 }), "bad_geometry", /lat must be a number from -90 to 90/],
    ["a number as a string", radar({ az_deg: "10" }), "bad_geometry", /az_deg/],
    ["no range", radar({ range_m: null }), "bad_geometry", /range_m must not be null/],
    ["0, 0 by Remote ID", fix({ lat: 0, lon: 0 }), "bad_geometry", /unknown position/],
    [
      "a person without a place",
      { ...radar(), modality: "human", az_deg: 361 },
      "bad_geometry",
      /lat and lon, or az_deg/,
    ],
    ["no time", radar({ measured_at: "yesterday" }), "invalid_input", /measured_at must be an RFC 3339 time/],
    ["control characters in a name", radar({ source_id: "a\u0007" }), "invalid_input", /source_id .*control/],
    ["an unknown modality", radar({ modality: "sonar" }), "invalid_input", /modality must be one of/],
    [
      "a confidence of 2",
      radar({ detection_confidence: 2 }),
      "invalid_input",
      /detection_confidence must be a number from 0 to 1/,
    ],
    [
      "raw over 4 KB",
      radar({ raw: { a: "x".repeat(4096) } }),
      "invalid_input",
      /raw must be an object of at most 4096/,
    ],
    ["no pose", radar({ sensor_pose: null }), "unknown_source", /need sensor_pose/],
  ])("[SG-6] %s is rejected with its code and rule", (_what, body, code, says) => {
    const room = new SignalsRoom();
    const pushed = push(room, { signals: [radar({ source_id: "good" }), body] });
    expect(replyOf(pushed).rejected).toEqual([{ index: 1, code, error: expect.stringMatching(says) }]);
    expect(room.inputs).toHaveLength(1);
  });

  test("[SG-6] an infinity written as 1e999 is out of every range", () => {
    const body = JSON.stringify(radar()).replace("900", "1e999");
    expect(push(new SignalsRoom(), body)).toMatchObject({
      sentence: expect.stringMatching(/range_m must be a number from 0/),
    });
  });

  test("[SG-7] when every observation fails the answer is 400 with the first rule, and nothing is taken", () => {
    const room = new SignalsRoom();
    expect(push(room, { signals: [fix({ lat: 91 }), radar({ range_m: -1 })] })).toEqual({
      code: "invalid_input",
      sentence: "nothing in it is valid; first [0], bad_geometry: lat must be a number from -90 to 90",
    });
    expect(push(room, { scans: [scan([plot({ az_deg: -1 })])] })).toMatchObject({
      sentence: expect.stringMatching(/first \[0\] detection 0/),
    });
    expect([room.inputs.length, [...room.sensors.all()].length]).toEqual([0, 0]);
  });

  test("[SG-7] the first hundred rejections are listed, all are counted by source", () => {
    const room = new SignalsRoom();
    const reply = replyOf(
      push(room, { scans: [scan([plot(), ...Array.from({ length: 150 }, () => plot({ range_m: -5 }))])] }),
    );
    expect([reply.accepted, reply.rejected.length, reply.rejected_count]).toEqual([1, 100, 150]);
    expect(room.rejected.get("r1")).toBe(150);
    expect(room.inputs[0]!.scan.complete).toBe(false);
  });

  test("[SG-8] an observation of another modality than its source reported before is modality_mismatch", () => {
    const room = new SignalsRoom();
    push(room, radar());
    const reply = replyOf(push(room, { signals: [radar(), { ...radar(), modality: "rf" }] }));
    expect(reply.rejected).toEqual([
      { index: 1, code: "modality_mismatch", error: expect.stringMatching(/reports radar, not rf/) },
    ]);
  });

  test("[SG-9] live observations in a simulated room are 409 when alone, and rejected beside good ones", () => {
    const room = new SignalsRoom("sim");
    expect(push(room, radar())).toMatchObject({ code: "environment_mismatch" });
    expect(replyOf(push(room, { signals: [radar({ env: "sim" }), radar()] })).rejected).toMatchObject([
      { index: 1, code: "environment_mismatch" },
    ]);
    expect(push(new SignalsRoom("live"), radar({ env: "exercise" }))).toMatchObject({ code: "environment_mismatch" });
  });

  test("[SG-10] unknown members are ignored and counted, deep ones refused, and __proto__ is only a name", () => {
    const body = JSON.stringify({ signals: [radar({ colour: "red", constructor: 1 })], more: 1 }).replace(
      '"colour"',
      '"__proto__":{"polluted":1},"colour"',
    );
    expect(replyOf(push(new SignalsRoom(), body)).unknown_members).toBe(4);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect(push(new SignalsRoom(), JSON.stringify(radar({ x: 1 })).replace('"x":1', `"x":${deep}`))).toMatchObject({
      sentence: expect.stringMatching(/nested deeper/),
    });
  });
});

describe("repeats and grouping", () => {
  test("[SG-11] an observation is taken once for each source and id", () => {
    const room = new SignalsRoom();
    push(room, radar({ source_obs_id: "a" }));
    expect(
      replyOf(push(room, { signals: [radar({ source_obs_id: "a" }), radar({ source_obs_id: "b" })] })),
    ).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(replyOf(push(room, radar({ source_obs_id: "a", source_id: "other" }))).accepted).toBe(1);
  });

  test("[SG-11] the rest of a scan with duplicates gives no negative evidence", () => {
    const room = new SignalsRoom();
    push(room, { scans: [scan([plot({ source_obs_id: "a" })])] });
    expect(replyOf(push(room, { scans: [scan([plot({ source_obs_id: "a" })])] }))).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
    expect(room.inputs).toHaveLength(1);
    push(room, { scans: [scan([plot({ source_obs_id: "a" }), plot({ source_obs_id: "c" })])] });
    expect(room.inputs[1]!.scan).toMatchObject({ count: 1, complete: false });
  });

  test("[SG-14] observations of one source and time become one scan; another time or pose another", () => {
    const room = new SignalsRoom();
    const moved = { ...POSE, lat: 51.2 };
    push(room, {
      signals: [
        radar(),
        radar({ measured_at: NOW_MS + 5 }),
        radar({ az_deg: 3 }),
        radar({ sensor_pose: moved }),
        radar({ source_id: "r2" }),
      ],
    });
    expect(room.inputs.map((i) => [i.scan.sourceId, i.scan.count, i.scan.pose?.lat])).toEqual([
      ["r1", 2, POSE.lat],
      ["r1", 1, POSE.lat],
      ["r1", 1, 51.2],
      ["r2", 1, POSE.lat],
    ]);
  });

  test("[SG-14] a registered sensor needs no pose: its placement is used, and a sent pose takes precedence", () => {
    const room = new SignalsRoom();
    room.register("r1", DEFAULT_PROFILE.radar, { ...POSE, lat: 50 });
    push(room, { scans: [scan([plot()], { sensor_pose: undefined }), scan([plot()])] });
    expect(room.inputs.map((i) => i.scan.pose?.lat)).toEqual([50, POSE.lat]);
  });

  test("[SG-15] ranged and bearing-only plots of one camera scan are two scans without negative evidence", () => {
    const room = new SignalsRoom();
    const eo = { modality: "eo", scan_id: "7" };
    push(room, { scans: [scan([plot({ range_m: undefined }), plot()], eo), scan([plot({ range_m: null })], eo)] });
    expect(room.inputs.map((i) => [i.scan.count, i.scan.complete])).toEqual([
      [1, false],
      [1, false],
      [1, true],
    ]);
    expect(new Set(room.inputs.map((i) => i.scan.scanId)).size).toBe(3);
  });

  test("[SG-15] a sound is fused at the time it left its source, when the delay is given", () => {
    const room = new SignalsRoom();
    push(room, { scans: [scan([{ az_deg: 1, propagation_delay_s: 0.75 }], { modality: "acoustic" })] });
    expect(room.inputs[0]!.scan.measuredAtUs).toBe((NOW_MS - 750) * 1000);
  });

  test("[SG-16] reports give no negative evidence", () => {
    const room = new SignalsRoom();
    const { uas_id, lat, lon } = fix();
    push(room, {
      scans: [{ source_id: "rid", modality: "remote_id", measured_at: NOW_MS, detections: [{ uas_id, lat, lon }] }],
    });
    expect(room.inputs[0]!.scan).toMatchObject({ complete: false, pose: null, count: 1 });
  });
});

describe("MessagePack", () => {
  const type = "application/msgpack";
  test("[SG-17] the same shapes give the same scans as JSON", () => {
    const body = { scans: [scan([plot(), plot({ az_deg: 30.5, source_obs_id: "é" })], { scan_id: "1" })] };
    const [a, b] = [new SignalsRoom(), new SignalsRoom()];
    expect(replyOf(pushBytes(a, pack(body), type))).toEqual(replyOf(push(b, body)));
    expect(a.inputs).toEqual(b.inputs);
  });

  const whole = pack({ signals: [radar()] });
  test("[SG-18] every truncation, and anything after the value, is a 400", () => {
    for (let length = 0; length < whole.length; length++)
      expect(pushBytes(new SignalsRoom(), whole.subarray(0, length), type)).toMatchObject({ code: "invalid_input" });
    expect(pushBytes(new SignalsRoom(), Buffer.concat([whole, Buffer.of(0xc0)]), type)).toMatchObject({
      sentence: expect.stringMatching(/1 bytes after the value/),
    });
  });

  test.each([
    ["an extension", pack({ signals: [radar({ x: new Date() })] }), /extension/],
    ["binary data", pack({ signals: [radar({ x: Buffer.of(1) })] }), /extension and binary/],
    ["not a number", pack({ signals: [radar({ az_deg: Number.NaN })] }), /finite/],
    ["an infinity", pack({ signals: [radar({ range_m: Number.POSITIVE_INFINITY })] }), /finite/],
    ["a key that is no string", Buffer.of(0x81, 0x01, 0x02), /key/],
    ["a length of 4 GB", Buffer.of(0xdd, 0xff, 0xff, 0xff, 0xff), /ends early/],
    ["a text of 4 GB", Buffer.of(0xdb, 0xff, 0xff, 0xff, 0xff), /ends early/],
    ["100 000 levels", Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.of(0xc0)]), /nested deeper/],
  ])("[SG-18] %s is a 400", (_what, bytes, says) => {
    expect(pushBytes(new SignalsRoom(), bytes, type)).toEqual({
      code: "invalid_input",
      sentence: expect.stringMatching(says),
    });
  });
});

describe("[SG-35] source names that the service reserves", () => {
  test("are refused in observations, alone and in scans", () => {
    const room = new SignalsRoom();
    const source_id = "own_positions";
    expect(push(room, radar({ source_id }))).toMatchObject({
      code: "invalid_input",
      sentence: expect.stringContaining("own_positions"),
    });
    expect(push(room, { scans: [scan([plot()], { source_id })] })).toMatchObject({ code: "invalid_input" });
    expect(replyOf(push(room, { signals: [radar(), radar({ source_id })] })).rejected_count).toBe(1);
    expect(room.sensors.get(source_id)).toBeUndefined();
  });
});

describe("[SG-36] two reports of one identity in one scan are one aircraft if it can have flown between them: the last is taken", () => {
  const aircraft = (more: object = {}) => ({
    source_id: "sbs",
    modality: "adsb",
    measured_at: NOW_MS,
    icao: "4ca2b1",
    lat: 51.18,
    lon: -1.73,
    ...more,
  });
  test("alone and in scans, from any source", () => {
    const room = new SignalsRoom();
    const signals = [
      aircraft({ source_obs_id: "a" }),
      aircraft({ icao: "4ca2b2", source_obs_id: "b" }),
      aircraft({ icao: "4CA2B1", lat: 51.187, source_obs_id: "c" }),
    ];
    expect(replyOf(push(room, { signals }))).toMatchObject({ accepted: 2, duplicates: 1 });
    const [input] = room.inputs;
    expect(input!.wire).toMatchObject([{ icao: "4ca2b2" }, { icao: "4ca2b1", lat: 51.187 }]);
    expect(input!.scan).toMatchObject({ count: 2, observationIds: ["b", "c"] });
    expect(input!.scan.measurements).toHaveLength(2 * MEAS_STRIDE);
    expect(input!.scan.measurements[MEAS_STRIDE + MEAS_CLAIM]).toBe(1);
    const detections = [
      { uas_id: "A", lat: 51, lon: -1 },
      { uas_id: "A", lat: 51.001, lon: -1 },
    ];
    const scanned = { source_id: "rid", modality: "remote_id", measured_at: NOW_MS, detections };
    expect(replyOf(push(room, { scans: [scanned] }))).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(room.inputs[1]!.wire).toMatchObject([{ lat: 51.001 }]);
    expect(room.duplicatesCounted).toBe(2);
  });
  test("where one aircraft cannot have flown between them, they are two with one claim", () => {
    const signals = [aircraft(), aircraft({ lat: 51.181 }), aircraft({ lat: 51.5 })];
    expect(replyOf(push(new SignalsRoom(), { signals }))).toMatchObject({ accepted: 3, duplicates: 0 });
    const near = [aircraft({ lat: 51.5 }), aircraft(), aircraft({ lat: 51.181 })];
    expect(replyOf(push(new SignalsRoom(), { signals: near }))).toMatchObject({ accepted: 2, duplicates: 1 });
  });
  test("different times are different scans", () => {
    const signals = [aircraft(), aircraft({ measured_at: NOW_MS + 1 })];
    expect(replyOf(push(new SignalsRoom(), { signals }))).toMatchObject({ accepted: 2, duplicates: 0 });
  });
});
