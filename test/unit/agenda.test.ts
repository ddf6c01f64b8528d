/** The agenda of the dispatcher: every task is taken once, when it is due and not before. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Agenda } from "../../src/tasking/agenda.ts";

test("[TK-75] a task is due once, at the time that it was scheduled for last", () => {
  const step = fc.oneof(
    fc.record({ is: fc.constant("put" as const), id: fc.integer({ min: 0, max: 9 }), inMs: fc.nat(50) }),
    fc.record({ is: fc.constant("remove" as const), id: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ is: fc.constant("take" as const), afterMs: fc.nat(30) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const agenda = new Agenda();
      const model = new Map<string, number>();
      let nowMs = 0;
      for (const one of steps) {
        if (one.is === "put") {
          agenda.put(`tsk_${one.id}`, nowMs + one.inMs);
          model.set(`tsk_${one.id}`, nowMs + one.inMs);
        } else if (one.is === "remove") {
          agenda.remove(`tsk_${one.id}`);
          model.delete(`tsk_${one.id}`);
        } else {
          nowMs += one.afterMs;
          const due = [...model].filter(([, atMs]) => atMs <= nowMs).map(([id]) => id);
          expect(agenda.take(nowMs).sort()).toEqual(due.sort());
          for (const id of due) model.delete(id);
        }
        expect(agenda.size).toBe(model.size);
      }
    }),
  );
});
