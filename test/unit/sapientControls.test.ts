/** Start, stop and pause of a SAPIENT node: which task they control, and which ack is for which. */
import { describe, expect, test } from "vitest";
import type { OutgoingCommand } from "../../src/domain/platformReport.ts";
import { Controls, controlContent } from "../../src/links/sapient/controls.ts";
import { SentTasks } from "../../src/links/sapient/sentTasks.ts";
import { taskParts } from "../../src/links/sapient/tasks.ts";

const AT = Date.UTC(2026, 10, 21, 10);
const NODE = "a";
const THEIRS = "01JD0000000000000000000009";
const commandOf = (taskId: string, verb: string): OutgoingCommand => ({
  taskId,
  source: { protocol: "", address: "", systemId: NODE, linkId: "" },
  verb,
  params: { mode: "night" },
  deadlineAtMs: 0,
  resendSafe: true,
});
const ack = (taskStatus: number, ...reason: string[]) => ({ taskId: THEIRS, taskStatus, reason });

describe("[SP-63] start, stop and pause name a task that the node has", () => {
  test("under that task's id", () => {
    expect(controlContent("stop", THEIRS)).toEqual({ case: "task", value: { taskId: THEIRS, control: 2 } });
    const controls = new Controls();
    expect([controls.targetOf("stop", NODE, THEIRS), controls.targetOf("pause", NODE, null)]).toEqual([THEIRS, null]);
  });
  test.each([
    ["accepted", 1, "succeeded", "stopped"],
    ["completed", 3, "succeeded", "stopped"],
    ["rejected", 2, "refused", "goes_on"],
    ["failed", 4, "failed", "failed"],
  ] as const)("an order to stop that is %s", (_, status, is, ofTask) => {
    const controls = new Controls();
    expect(controls.note(commandOf("tsk_1", "stop"), THEIRS, AT)).toBe(true);
    expect(controls.note(commandOf("tsk_2", "pause"), THEIRS, AT)).toBe(false);
    expect(controls.answer("b", ack(status))).toBeNull();
    expect(controls.answer(NODE, ack(status))).toMatchObject({ taskId: "tsk_1", progress: { is }, ofTask });
    expect(controls.answer(NODE, ack(status))).toBeNull();
  });
  test("start names the paused task", () => {
    const controls = new Controls();
    expect(controls.targetOf("start", NODE, THEIRS)).toBeNull();
    controls.note(commandOf("tsk_1", "pause"), THEIRS, AT);
    expect(controls.answer(NODE, ack(1))).toMatchObject({ ofTask: "goes_on" });
    expect(controls.targetOf("start", NODE, null)).toBe(THEIRS);
    controls.note(commandOf("tsk_2", "start"), THEIRS, AT);
    controls.answer(NODE, ack(1));
    expect(controls.targetOf("start", NODE, null)).toBeNull();
  });
  test("an unanswered one times out, one that ended elsewhere does not", () => {
    const controls = new Controls();
    controls.note(commandOf("tsk_1", "stop"), THEIRS, AT);
    expect(controls.expire(AT + 9999)).toEqual([]);
    expect(controls.expire(AT + 10_000)).toEqual(["tsk_1"]);
    controls.note(commandOf("tsk_2", "stop"), THEIRS, AT);
    controls.drop("tsk_2");
    expect(controls.expire(AT + 10_000)).toEqual([]);
  });
  test("where the status names no task it is the one accepted last; when it is stopped it has ended", () => {
    const sent = new SentTasks();
    const ids = ["tsk_01jd0000000000000000000001", "tsk_01jd0000000000000000000002"].map((taskId) => {
      const command = commandOf(taskId, "set_mode");
      const parts = taskParts(command)!;
      sent.note(command, parts, AT);
      return parts[0]!.id;
    });
    expect([sent.lastAcceptedBy(NODE), sent.isUnanswered(ids[0]!)]).toEqual([null, true]);
    sent.answer(NODE, { taskId: ids[0], taskStatus: 1 });
    expect([sent.lastAcceptedBy(NODE), sent.isUnanswered(ids[0]!), sent.lastAcceptedBy("b")]).toEqual([
      ids[0],
      false,
      null,
    ]);
    expect(sent.stopped("b", ids[0]!)).toBeNull();
    expect(sent.stopped(NODE, ids[0]!)).toMatchObject({ progress: { is: "cancelled", code: "stopped" } });
    expect(sent.lastAcceptedBy(NODE)).toBeNull();
  });
});
