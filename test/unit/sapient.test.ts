/** SAPIENT messages: bytes against vectors written by hand, frames of reference, and input that cannot be read. */
import { describe, expect, test, vi } from "vitest";
import type { OutgoingCommand } from "../../src/domain/platformReport.ts";
import { sapientAdapter } from "../../src/links/sapient/adapter.ts";
import { type DetectingNode, modalityOf, readNodeMotion, toObservation } from "../../src/links/sapient/detections.ts";
import { FrameSplitter, frame, MESSAGE_BYTES_MAX } from "../../src/links/sapient/frames.ts";
import { decodeMessage, encodeMessage } from "../../src/links/sapient/messages.ts";
import { SentTasks } from "../../src/links/sapient/sentTasks.ts";
import { readStatus } from "../../src/links/sapient/status.ts";
import { progressOf, taskParts, ulidOf } from "../../src/links/sapient/tasks.ts";
import { healthLevelOf } from "../../src/room/forces/assetView.ts";
import { Platform } from "../../src/room/forces/platform.ts";

const AT = Date.UTC(2026, 10, 21, 10);
const NODE: DetectingNode = { sourceId: "sapient:n", modality: "radar", place: { lat: 50, lon: 8, alt_hae_m: 100 } };
const commandOf = (taskId: string, systemId: string, verb: string, params: object): OutgoingCommand => ({
  taskId,
  source: { protocol: "", address: "", systemId, linkId: "" },
  verb,
  params: { ...params },
  deadlineAtMs: 0,
  resendSafe: true,
});
const bearing = (members: object) => ({ case: "rangeBearing", value: { coordinateSystem: 1, datum: 1, ...members } });

describe("[SP-1] the wire form is protobuf with the published numbers", () => {
  test("a status report, byte by byte", () => {
    // SapientMessage{ node_id(2)="n", status_report(6){ report_id(1)="r", system(2)=1, mode(5)="m" } }
    const bytes = Buffer.from("12016e3208" + "0a0172" + "1001" + "2a016d", "hex");
    expect(decodeMessage(bytes)).toEqual({
      nodeId: "n",
      atMs: null,
      content: { case: "statusReport", value: expect.objectContaining({ reportId: "r", system: 1, mode: "m" }) },
    });
  });
  test("what is written can be read, with zero and absent kept apart", () => {
    const content = {
      case: "detectionReport",
      value: { reportId: "R", locationOneof: bearing({ azimuth: 0, range: 5 }) },
    };
    const decoded = decodeMessage(encodeMessage("n", "d", AT + 0.25, content))!;
    expect(decoded.atMs).toBeCloseTo(AT + 0.25, 2);
    const where = (decoded.content.value.locationOneof as { value: Record<string, unknown> }).value;
    expect([where.azimuth, where.range, where.elevation]).toEqual([0, 5, undefined]);
  });
  test.each([
    ["nothing", ""],
    ["noise", "ffffffffff"],
    ["no content", "12016e"],
    ["no node", "3202080a"],
  ])("%s is no message", (_, hex) => expect(decodeMessage(Buffer.from(hex, "hex"))).toBeNull());
});

test("[SP-2] the cost of a large message in small packets grows with its length only", () => {
  const message = frame(Buffer.alloc(MESSAGE_BYTES_MAX, 7));
  const splitter = new FrameSplitter();
  const concat = vi.spyOn(Buffer, "concat");
  let found: Buffer[] = [];
  for (let i = 0; i < message.length; i += 100) found = found.concat(splitter.push(message.subarray(i, i + 100)));
  const joins = concat.mock.calls.length;
  concat.mockRestore();
  expect(found).toHaveLength(1);
  expect(found[0]!.equals(message.subarray(4))).toBe(true);
  expect(joins).toBeLessThanOrEqual(2);
});

test("[SP-68] messages complete before a length over 1 MiB are taken, those behind it are not", () => {
  const splitter = new FrameSplitter();
  const endless = Buffer.from([255, 255, 255, 255]);
  const found = splitter.push(Buffer.concat([frame(Buffer.from("one")), endless, frame(Buffer.from("two"))]));
  expect(found.map(String)).toEqual(["one"]);
  expect([splitter.isBroken, splitter.push(frame(Buffer.from("three")))]).toEqual([true, []]);
});

test("[SP-2] frames are cut by their length over any packets, and refused when endless", () => {
  const splitter = new FrameSplitter();
  const stream = Buffer.concat([frame(Buffer.from("one")), frame(Buffer.alloc(0)), frame(Buffer.from("three"))]);
  const found: string[] = [];
  for (let i = 0; i < stream.length; i += 3)
    found.push(...splitter.push(stream.subarray(i, i + 3)).map((bytes) => bytes.toString()));
  expect(found).toEqual(["one", "", "three"]);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(MESSAGE_BYTES_MAX + 1);
  expect([splitter.isBroken, splitter.push(head), splitter.isBroken]).toEqual([false, [], true]);
});

describe("[SP-3] a detection becomes an observation of the node's modality, in true north and WGS-84", () => {
  test("range and bearing in degrees and metres, or radians and kilometres", () => {
    const degrees = toObservation(
      NODE,
      { reportId: "R1", locationOneof: bearing({ azimuth: -90, elevation: 5, range: 1500, azimuthError: 0.5 }) },
      AT,
    );
    expect(degrees).toMatchObject({
      source_id: "sapient:n",
      source_obs_id: "R1",
      modality: "radar",
      az_deg: 270,
      el_deg: 5,
      range_m: 1500,
      sigma_az_deg: 0.5,
      sensor_pose: { lat: 50, lon: 8, alt_hae_m: 100 },
    });
    const radians = bearing({ azimuth: Math.PI / 2, elevation: 0.1, range: 1.5, coordinateSystem: 4 });
    expect(toObservation(NODE, { locationOneof: radians }, AT)).toMatchObject({
      az_deg: expect.closeTo(90, 9),
      range_m: 1500,
    });
  });
  test("a position that a radar reports becomes the direction and range it measured", () => {
    const at = { case: "location", value: { x: 8, y: 50.01, z: 100, xError: 10, coordinateSystem: 1, datum: 1 } };
    const seen = toObservation(NODE, { locationOneof: at }, AT) as { az_deg: number; range_m: number };
    expect(seen).toMatchObject({ modality: "radar", sigma_range_m: 10 });
    expect(Math.cos((seen.az_deg * Math.PI) / 180)).toBeCloseTo(1, 9);
    expect(seen.range_m).toBeCloseTo(1112, -1);
  });
  test("a position of a fusion node stays a position; heights above the geoid are left out", () => {
    const at = { case: "location", value: { x: 8.1, y: 50.2, z: 300, xError: 20, coordinateSystem: 1, datum: 2 } };
    expect(toObservation({ ...NODE, modality: null }, { locationOneof: at }, AT)).toMatchObject({
      modality: "human",
      lat: 50.2,
      lon: 8.1,
      alt_hae_m: null,
      sigma_m: 20,
    });
    expect(toObservation({ ...NODE, modality: "rf" }, { locationOneof: at }, AT)).toMatchObject({
      modality: "rf_fix",
      sigma_major_m: 20,
    });
  });
  test("an impossible height is unknown, of a node and of a detection", () => {
    for (const z of [1e15, -600]) {
      const value = { x: 8.1, y: 50.2, z, coordinateSystem: 1, datum: 1 };
      expect(readNodeMotion(value)).toEqual({ lat: 50.2, lon: 8.1, alt_hae_m: null, alt_is_msl: false });
      const seen = toObservation({ ...NODE, modality: null }, { locationOneof: { case: "location", value } }, AT);
      expect(seen).toMatchObject({ lat: 50.2, alt_hae_m: null });
    }
    const high = { x: 8.1, y: 50.2, z: 9000, coordinateSystem: 1, datum: 1 };
    expect(readNodeMotion(high)).toMatchObject({ alt_hae_m: 9000 });
  });
  const refused: [string, object, Partial<DetectingNode>, string][] = [
    ["magnetic north", bearing({ azimuth: 1, range: 1, datum: 2 }), {}, "true north"],
    ["no coordinate system", bearing({ azimuth: 1, range: 1, coordinateSystem: 0 }), {}, "coordinate system"],
    ["no range from a radar", bearing({ azimuth: 1 }), {}, "range"],
    ["a bearing before any location of the node", bearing({ azimuth: 1, range: 1 }), { place: null }, "status report"],
    [
      "UTM",
      { case: "location", value: { x: 1, y: 1, coordinateSystem: 5 } },
      { modality: null },
      "latitude and longitude",
    ],
    ["nothing", {}, {}, "location or a range and bearing"],
  ];
  test.each(refused)("%s is refused with the reason", (_, where, node, reason) =>
    expect(toObservation({ ...NODE, ...node }, { locationOneof: where }, AT)).toEqual({
      cannot: expect.stringContaining(reason),
    }),
  );
});

test.each([
  ["radar", 2],
  ["lidar", 3],
  ["camera", 4],
  ["microphone", 6],
] as const)(
  "[SP-60] a position from a %s that has not reported its own is refused like its bearings",
  (_, nodeType) => {
    const node = { ...NODE, modality: modalityOf(nodeType), place: null };
    const value = { x: 8, y: 50.01, z: 200, coordinateSystem: 1, datum: 1 };
    const refused = { cannot: expect.stringContaining("status report") };
    expect(toObservation(node, { locationOneof: { case: "location", value } }, AT)).toEqual(refused);
  },
);

test("[SP-61] faults of one type stay apart, and a fault that a status report no longer lists has ended", () => {
  const platform = new Platform("key", { protocol: "", address: "", systemId: "", linkId: "" }, AT);
  const hear = (status: object) => {
    platform.apply({ ...readStatus(status as never), source: platform.source, atMs: AT });
    return [healthLevelOf(platform), ...[...platform.components.values()].map(({ message }) => message)];
  };
  const fault = (statusValue: string) => ({ statusLevel: 4, statusType: 1, statusValue });
  expect(hear({ system: 3, info: 1, status: [fault("overheat"), fault("fan")] })).toEqual(["fail", "overheat", "fan"]);
  expect([...platform.components.keys()]).toEqual(["status_1", "status_1_2"]);
  expect(hear({ system: 3, info: 2 })).toEqual(["fail", "overheat", "fan"]);
  expect(hear({ system: 3, info: 1, status: [fault("fan")] })).toEqual(["fail", "fan"]);
  expect(hear({ system: 1, info: 1 })).toEqual(["ok"]);
});

describe("[SP-8] only the node that has a task answers for it", () => {
  const TASK = "tsk_01jd0000000000000000000001";
  const note = (tasks: SentTasks, verb: string, isAnswered = false) => {
    const command = commandOf(TASK, "a", verb, { kind: "angle", az_deg: 1, el_deg: 1, mode: "night" });
    tasks.note(command, taskParts(command)!, AT, isAnswered);
  };
  const order = { nodeId: "a", ids: [ulidOf(TASK)] };
  const ack = (taskStatus: number, ...reason: string[]) => ({ taskId: ulidOf(TASK), taskStatus, reason });
  const sent = () => {
    const tasks = new SentTasks();
    note(tasks, "look_at");
    return tasks;
  };
  const is = (answer: ReturnType<SentTasks["answer"]>) => answer?.progress.is ?? null;

  test("an answer of another node is ignored, and so is one after the end", () => {
    const tasks = sent();
    expect(is(tasks.answer("b", ack(3)))).toBeNull();
    expect(is(tasks.answer("a", ack(1)))).toBe("accepted");
    expect(is(tasks.answer("b", ack(4)))).toBeNull();
    expect(tasks.answer("a", ack(3, "there"))).toEqual({
      taskId: TASK,
      progress: { is: "succeeded", code: "completed", text: "there" },
    });
    expect(is(tasks.answer("a", ack(4)))).toBeNull();
  });
  test.each([
    ["stopped", [1, 1], ["accepted", "cancelled"]],
    ["stopped, said as completed", [1, 3], ["accepted", "cancelled"]],
    ["not stopped", [1, 2, 3], ["accepted", "cancel_declined", "succeeded"]],
    ["failed meanwhile", [1, 4], ["accepted", "failed"]],
    ["refused before it was asked to stop", [2, 3], ["refused", null]],
  ])("told to stop: %s", (_, statuses, words) => {
    const tasks = sent();
    expect(tasks.cancel(TASK, AT)).toEqual(order);
    expect(statuses.map((status) => is(tasks.answer("a", ack(status))))).toEqual(words);
  });
  test("the task that its status report names is executing, reported once", () => {
    const tasks = sent();
    expect(is(tasks.active("b", ulidOf(TASK)))).toBeNull();
    expect(is(tasks.active("a", undefined))).toBeNull();
    expect(is(tasks.active("a", ulidOf(TASK)))).toBe("executing");
    expect(is(tasks.active("a", ulidOf(TASK)))).toBeNull();
    expect(tasks.expire(AT + 60_000)).toEqual([]);
    expect(is(tasks.answer("a", ack(3)))).toBe("succeeded");
  });
  test("a task that ended elsewhere is stopped at its node if it still runs, and its answers are ignored", () => {
    const tasks = sent();
    expect(tasks.drop(TASK)).toEqual(order);
    expect(tasks.drop(TASK)).toBeNull();
    expect(is(tasks.answer("a", ack(3)))).toBeNull();
    note(tasks, "set_mode");
    expect(tasks.drop(TASK)).toBeNull();
    note(tasks, "look_at", true);
    tasks.cancel(TASK, AT);
    expect(is(tasks.answer("a", ack(1)))).toBe("cancelled");
  });
  test("an order to stop is repeated until it is answered, and given up when it never is", () => {
    const tasks = sent();
    tasks.answer("a", ack(1));
    tasks.cancel(TASK, AT);
    expect(tasks.stops(AT + 2499)).toEqual({ again: [], unanswered: [] });
    expect(tasks.stops(AT + 2500)).toEqual({ again: [order], unanswered: [] });
    expect(tasks.stops(AT + 2600)).toEqual({ again: [], unanswered: [] });
    expect(tasks.stops(AT + 10_000)).toEqual({ again: [], unanswered: [TASK] });
    expect(tasks.stops(AT + 20_000)).toEqual({ again: [], unanswered: [] });
    expect(is(tasks.answer("a", ack(3)))).toBe("succeeded");
  });
  test("an unknown task cannot be stopped; silence ends it", () => {
    const tasks = sent();
    expect(tasks.cancel("tsk_01jd0000000000000000000002", AT)).toBeNull();
    expect(tasks.expire(AT + 9999)).toEqual([]);
    expect(tasks.expire(AT + 10_000)).toEqual([TASK]);
    expect(tasks.cancel(TASK, AT)).toBeNull();
    const answered = sent();
    answered.answer("a", ack(1));
    expect(answered.expire(AT + 60_000)).toEqual([]);
  });
});

describe("[SP-62] each threshold is a task of its own, and the command is done when all of them are", () => {
  const command = commandOf("tsk_01jd000000000000000000000z", "a", "set_threshold", {
    detection: "low",
    classification: "high",
    report_rate: "medium",
  });
  const parts = taskParts(command)!;
  const ids = parts.map(({ id }) => id);
  const begun = (isAnswered = false) => {
    const tasks = new SentTasks();
    tasks.note(command, parts, AT, isAnswered);
    const ack = (part: number, taskStatus: number, reason: string[] = []) =>
      tasks.answer("a", { taskId: ids[part], taskStatus, reason })?.progress ?? null;
    return { tasks, ack };
  };
  test("each with an id of its own that stays the same", () => {
    expect(parts.map(({ content }) => (content.value.command as { command: object }).command)).toEqual([
      { case: "detectionThreshold", value: 1 },
      { case: "classificationThreshold", value: 3 },
      { case: "detectionReportRate", value: 2 },
    ]);
    expect(ids).toEqual(["Z", "0", "1"].map((last) => `01JD000000000000000000000${last}`));
    expect(parts.map(({ content }) => content.value.taskId)).toEqual(ids);
  });
  test("accepted by all, then done by all", () => {
    const { ack } = begun();
    const words = [ack(0, 1), ack(0, 3), ack(2, 1), ack(1, 1), ack(2, 3), ack(1, 3)].map((one) => one?.is ?? null);
    expect(words).toEqual([null, null, null, "accepted", null, "succeeded"]);
  });
  test("one refused task makes the command fail, with the list of those that went through", () => {
    const { tasks, ack } = begun();
    ack(0, 1);
    expect(ack(1, 2, ["fixed by the maker"])).toEqual({
      is: "failed",
      code: "failed",
      text: "classification: fixed by the maker; detection took effect",
    });
    expect([ack(2, 3), tasks.expire(AT + 60_000)]).toEqual([null, []]);
  });
  test("a stop is sent to each; an answer that never comes is timed out", () => {
    const { tasks, ack } = begun();
    ack(1, 1);
    ack(1, 3);
    expect(tasks.cancel(command.taskId, AT)).toEqual({ nodeId: "a", ids: [ids[0], ids[2]] });
    expect(tasks.expire(AT + 10_000)).toEqual([command.taskId]);
    expect(begun(true).tasks.expire(AT + 10_000)).toEqual([]);
  });
});

test("[SP-64] set_region is not carried: a region needs its area", () => {
  expect(sapientAdapter.verbs).not.toContain("set_region");
  expect(taskParts(commandOf("tsk_01jd0000000000000000000000", "", "set_region", { region_id: "reg_1" }))).toBeNull();
});

test("[SP-4] verbs become tasks, and acknowledgements become progress", () => {
  const command = (verb: string, params: object) =>
    taskParts(commandOf("tsk_01jd0000000000000000000000", "", verb, params))?.[0]?.content.value;
  expect(ulidOf("tsk_01jd0000000000000000000000")).toBe("01JD0000000000000000000000");
  expect(command("set_mode", { mode: "night" })).toMatchObject({
    control: 1,
    command: { command: { case: "modeChange", value: "night" } },
  });
  expect(command("set_threshold", { detection: "high" })).toMatchObject({
    command: { command: { case: "detectionThreshold", value: 3 } },
  });
  expect(command("look_at", { kind: "angle", az_deg: 10, el_deg: 2 })).toMatchObject({
    command: {
      command: {
        case: "lookAt",
        value: { fovOneof: { case: "rangeBearing", value: { azimuth: 10, elevation: 2, datum: 1 } } },
      },
    },
  });
  expect(command("respond", {})).toBeUndefined();
  expect([1, 2, 3, 4, 0].map((taskStatus) => progressOf({ taskStatus })?.is ?? null)).toEqual([
    "accepted",
    "refused",
    "succeeded",
    "failed",
    null,
  ]);
});
