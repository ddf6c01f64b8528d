/** The event log's statements and what waits for them, over a database that counts parameters and fails when told to. */
import { expect, test } from "vitest";
import { EventRecorder } from "../../src/app/eventRecorder.ts";
import type { Database, Sql } from "../../src/db/client.ts";
import { appendEvents } from "../../src/db/eventLog.ts";
import { FencedError, type RoomWriter } from "../../src/db/fencing.ts";
import { UnavailableError } from "../../src/domain/errors.ts";
import type { EventDraft } from "../../src/domain/eventLog.ts";

/** As the driver counts: it throws at this many. */
const PARAMETERS_MAX = 65_534;

const wsp1: RoomWriter = { id: "wsp_1", ownerEpoch: 3 };
const writerOf = (id: string): RoomWriter => ({ id, ownerEpoch: 0 });

type Rows = readonly { readonly workspace_id: string; readonly name: string; readonly seq: number }[];

/** `refuse` says why these rows cannot be written. What was written stays when all of its transaction went well. */
function fakeDatabase(refuse: (rows: Rows) => unknown = () => null) {
  const written: Rows[number][] = [];
  const heads = new Map<string, number>();
  const sqlOf = (kept: Rows[number][]): Sql => {
    const sql = (first: Rows | TemplateStringsArray, ...values: unknown[]) => {
      if (!("raw" in first)) return first;
      const text = first.join("?");
      if (text.includes("insert into event_heads"))
        return [{ seq: `${heads.get(values[0] as string) ?? 0}`, hash: null }];
      if (text.includes("update event_heads")) {
        heads.set(values[2] as string, values[0] as number);
        return [{}];
      }
      const rows = values[0] as Rows;
      if (rows.length * Object.keys(rows[0]!).length >= PARAMETERS_MAX) throw new Error("too many parameters");
      const fault = refuse(rows);
      if (fault !== null) throw fault;
      kept.push(...rows);
      return [];
    };
    return Object.assign(sql, { json: (value: unknown) => value }) as unknown as Sql;
  };
  const db: Pick<Database, "transact"> = {
    async transact(work) {
      const kept: Rows[number][] = [];
      const result = await work(sqlOf(kept));
      written.push(...kept);
      return result;
    },
  };
  return {
    db,
    written,
    namesOf: (id: string) => written.filter((row) => row.workspace_id === id).map((row) => row.name),
  };
}

function draft(name: string): EventDraft {
  const whose = { kind: "system", id: "alerts", name: "alerts" } as const;
  const at = "2026-11-21T10:00:00.000Z";
  return { at, name, actor: whose, subject: { kind: "asset", id: "ast_1" }, streamGen: 1, env: "live", data: {} };
}
const drafts = (count: number) => Array.from({ length: count }, (_, i) => draft(`event_${i}`));

/** With what it said in the log. */
function recorderOver(db: Pick<Database, "transact">) {
  const said: { fields: Record<string, unknown>; text: string }[] = [];
  const error = (fields: unknown, text?: string) =>
    void said.push(text === undefined ? { fields: {}, text: String(fields) } : { fields: fields as never, text });
  return { recorder: new EventRecorder(db, { error } as never), said };
}

test("[EV-60] ten thousand events are appended at once, numbered without a gap, in statements the driver takes", async () => {
  const { db, written } = fakeDatabase();
  const entries = await db.transact((sql) => appendEvents(sql, wsp1, drafts(10_000)));
  expect(entries).toHaveLength(10_000);
  expect(written.map(({ seq }) => seq)).toEqual(Array.from({ length: 10_000 }, (_, i) => i + 1));
});

test("[EV-61] an event that the log refuses is dropped alone, counted and logged; all others are written", async () => {
  const { db, namesOf } = fakeDatabase((rows) =>
    rows.some(({ name, workspace_id: id }) => id === "wsp_1" && name === "event_1700") ? new Error("bad text") : null,
  );
  const { recorder, said } = recorderOver(db);
  for (const one of drafts(3000)) recorder.add(writerOf("wsp_1"), one);
  for (const one of drafts(3)) recorder.add(writerOf("wsp_2"), one);
  await recorder.flush();
  expect(namesOf("wsp_1")).toEqual(
    drafts(3000)
      .map(({ name }) => name)
      .filter((name) => name !== "event_1700"),
  );
  expect(namesOf("wsp_2")).toEqual(["event_0", "event_1", "event_2"]);
  expect(recorder.dropped).toBe(1);
  expect(said).toMatchObject([{ fields: { workspace: "wsp_1", event: "event_1700" } }]);
});

test("[EV-62] events that cannot be written now wait in order, and no other workspace waits with them", async () => {
  let isLocked = true;
  const { db, namesOf } = fakeDatabase((rows) =>
    isLocked && rows[0]!.workspace_id === "wsp_1" ? new UnavailableError("a lock") : null,
  );
  const { recorder, said } = recorderOver(db);
  for (const id of ["wsp_1", "wsp_2"]) for (const one of drafts(3)) recorder.add(writerOf(id), one);
  await recorder.flush();
  expect([namesOf("wsp_1"), namesOf("wsp_2")]).toEqual([[], ["event_0", "event_1", "event_2"]]);
  recorder.add(writerOf("wsp_1"), draft("later"));
  isLocked = false;
  await recorder.flush();
  expect(namesOf("wsp_1")).toEqual(["event_0", "event_1", "event_2", "later"]);
  expect([recorder.dropped, said]).toEqual([0, []]);
});

test("[EV-63] the end waits for the running write and writes what came during it; the rest is counted and logged", async () => {
  const { db, namesOf } = fakeDatabase();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const slow: Pick<Database, "transact"> = { transact: (work) => gate.then(() => db.transact(work)) };
  const { recorder } = recorderOver(slow);
  recorder.add(writerOf("wsp_1"), draft("first"));
  const flushing = recorder.flush();
  recorder.add(writerOf("wsp_1"), draft("last"));
  recorder.add(writerOf("wsp_0"), draft("other"));
  const ended = recorder.end();
  open();
  await ended;
  expect([namesOf("wsp_1"), namesOf("wsp_0")]).toEqual([["first", "last"], ["other"]]);
  await flushing;

  const away: Pick<Database, "transact"> = { transact: () => Promise.reject(new UnavailableError("away")) };
  const { recorder: lost, said } = recorderOver(away);
  lost.add(writerOf("wsp_1"), draft("lost"));
  await lost.end();
  expect([lost.dropped, said]).toMatchObject([1, [{ fields: { events: 1 } }]]);
});

test("[EV-64] the events of a room that lost its workspace to another process are dropped, counted and logged once", async () => {
  const { db, namesOf } = fakeDatabase((rows) =>
    rows[0]!.workspace_id === "wsp_1" ? new FencedError(writerOf("wsp_1")) : null,
  );
  const { recorder, said } = recorderOver(db);
  for (const id of ["wsp_1", "wsp_2"]) for (const one of drafts(3)) recorder.add(writerOf(id), one);
  await recorder.flush();
  await recorder.flush();
  expect([namesOf("wsp_1"), namesOf("wsp_2")]).toEqual([[], ["event_0", "event_1", "event_2"]]);
  expect(recorder.dropped).toBe(3);
  expect(said).toMatchObject([{ fields: { workspace: "wsp_1", epoch: 0, events: 3 } }]);
  await recorder.end();
  expect(recorder.dropped).toBe(3);
});
