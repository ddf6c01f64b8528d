/** null in a signals body is refused like any other value that is no object, and never dropped silently. */
import { pack } from "msgpackr";
import { expect, test } from "vitest";
import { JSON_TYPE, MESSAGE_PACK_TYPE, NDJSON_TYPE } from "../../src/features/signals/parse.ts";
import { NOW_MS, POSE, push, pushBytes, replyOf, SignalsRoom } from "../support/signalsRoom.ts";

const NOT_AN_OBJECT = "a detection must be an object";
const LOOK = { source_id: "r1", modality: "radar", measured_at: NOW_MS, sensor_pose: POSE };
const radar = () => ({ ...LOOK, az_deg: 10, range_m: 900 });
const scan = (detections: unknown) => ({ ...LOOK, detections });
const plot = () => ({ az_deg: 10, el_deg: 3, range_m: 900 });
const reports = (detections: unknown) => ({
  source_id: "rid",
  modality: "remote_id",
  measured_at: NOW_MS,
  detections,
});
const fix = () => ({ uas_id: "1581F", lat: 51.18, lon: -1.73 });

test("[SG-6] null in place of an observation, a scan or a detection is refused at its index, in every form", () => {
  const refusedAt = (body: object, bytes: Uint8Array, type: string) => {
    const reply = replyOf(pushBytes(new SignalsRoom(), bytes, type));
    expect(reply.rejected_count, JSON.stringify(body)).toBe(reply.rejected.length);
    return [reply.accepted, ...reply.rejected.map((one) => [one.index, one.detection, one.code, one.error])];
  };
  const cases: [object, unknown[]][] = [
    [{ signals: [radar(), null, radar()] }, [2, [1, undefined, "invalid_input", "an observation must be an object"]]],
    [{ scans: [scan([plot()]), null] }, [1, [1, undefined, "invalid_input", "a scan must be an object"]]],
    [
      { scans: [scan([null, plot(), null])] },
      [1, [0, 0, "invalid_input", NOT_AN_OBJECT], [0, 2, "invalid_input", NOT_AN_OBJECT]],
    ],
    [{ scans: [reports([fix(), null])] }, [1, [0, 1, "invalid_input", NOT_AN_OBJECT]]],
  ];
  for (const [body, expected] of cases) {
    expect(refusedAt(body, Buffer.from(JSON.stringify(body)), JSON_TYPE)).toEqual(expected);
    expect(refusedAt(body, pack(body), MESSAGE_PACK_TYPE)).toEqual(expected);
  }
  const lines = Buffer.from([radar(), null, scan([null, plot()])].map((one) => JSON.stringify(one)).join("\n"));
  expect(refusedAt(lines, lines, NDJSON_TYPE)).toEqual([
    2,
    [1, undefined, "invalid_input", "an observation must be an object"],
    [2, 0, "invalid_input", NOT_AN_OBJECT],
  ]);
});

test("[SG-6] a body of nothing but null entries is refused whole", () => {
  for (const body of [{ signals: [null] }, { scans: [null] }, { scans: [scan([null])] }])
    expect(push(new SignalsRoom(), body), JSON.stringify(body)).toMatchObject({ code: "invalid_input" });
  expect(pushBytes(new SignalsRoom(), Buffer.from("null\n"), NDJSON_TYPE)).toMatchObject({ code: "invalid_input" });
});
