/** The room is behind the database, because an answer was lost after its commit or another node wrote. */
import { describe, expect, test } from "vitest";
import { appendEvents } from "../../src/db/eventLog.ts";
import { UnavailableError } from "../../src/domain/errors.ts";
import { auditDraft } from "../../src/domain/eventLog.ts";
import type { Room } from "../../src/room/room.ts";
import { says, useService } from "../support/frontDoor.ts";
import { until } from "../support/until.ts";

const front = useService();
const { ask } = front;
const made = (body: object) => front.made({ name: "x", catalog_name: "quadrotor", ...body });
const view = async (id: string) => (await ask("GET", `/api/assets/${id}`)).body.data;
const audits = async (name: string, id: string) =>
  (await ask("GET", `/api/events?name=audit.${name}&limit=1000`)).body.data.filter(
    ({ subject }: { subject: { id: string } }) => subject.id === id,
  ).length;

/** A row that was written while the answer to the room was lost. */
async function insertUnheard(id: string, changes: { address?: string; serial?: string }): Promise<void> {
  const like = await made({});
  const { address = null, serial = null } = changes;
  await front.service.picket.db.run(
    (sql) => sql`
      insert into assets (workspace_id, id, kind, name, domain, spec, remote_id_serial, switches, connection, address,
        created_at, updated_at)
      select workspace_id, ${id}, kind, 'Ghost', domain, spec, ${serial}, switches,
        ${sql.json({ address, protocol: null, port: null, system_id: null, link_id: null, secret_ref: null })}, ${address},
        created_at, updated_at
      from assets where workspace_id = ${front.owner.workspaceId} and id = ${like}`,
  );
}
const write = (id: string, name: string) =>
  front.service.picket.db.run(
    (sql) => sql`
      update assets set name = ${name}, version = version + 1 where workspace_id = ${front.owner.workspaceId} and id = ${id}`,
  );
const drop = (id: string) =>
  front.service.picket.db.run(
    (sql) => sql`delete from assets where workspace_id = ${front.owner.workspaceId} and id = ${id}`,
  );

const room = () => front.service.picket.rooms.get(front.owner.workspaceId)!;
/** A write of the room with an unknown outcome. */
const loseAnswer = (of: Room) =>
  of
    .serially(() => Promise.reject(new UnavailableError("the answer was lost", { outcomeUnknown: true })))
    .catch(() => undefined);
const status = async (id: string) => (await ask("GET", `/api/assets/${id}`)).status;

describe("[AS-61] after a write whose answer was lost the room reloads its registry", () => {
  test("a read shows what was written, changed or removed, without another write", async () => {
    const [edited, removed] = [await made({}), await made({ connection: { address: "lost:1" } })];
    await insertUnheard("ast_lost1", { serial: "LOST-1" });
    await write(edited, "Renamed Unheard");
    await drop(removed);
    await loseAnswer(room());
    await until("it has caught up", () => !room().writes.mayLag);
    expect(await view("ast_lost1")).toMatchObject({ remote_id_serial: "LOST-1", class_type: "quadrotor" });
    expect(await view(edited)).toMatchObject({ name: "Renamed Unheard", version: 2 });
    expect(await status(removed)).toBe(404);
    expect(room().forces.fleet.byAddress("lost:1")).toBeUndefined();
  });
  test("the reload waits for a write that the database has not finished", async () => {
    const id = await made({});
    let commit = () => {};
    const asked = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const late = front.service.picket.db.transact(async (sql) => {
      await appendEvents(sql, room(), [
        auditDraft(room(), { kind: "system", id: "t", name: "t" }, Date.now(), "x", { kind: "asset", id }, {}),
      ]);
      await sql`delete from assets where workspace_id = ${front.owner.workspaceId} and id = ${id}`;
      await asked;
    });
    await loseAnswer(room());
    await new Promise((resolve) => setTimeout(resolve, 1200));
    commit();
    await late;
    await until("it has caught up", () => !room().writes.mayLag);
    expect(await status(id)).toBe(404);
  });
});

describe("[AS-24] given a room whose memory is older than the database, a write reloads the row", () => {
  test("a registration whose answer was lost answers 200 with its row, which every read then shows", async () => {
    await insertUnheard("ast_ghost1", { address: "ghost:1" });
    const body = { name: "Ghost", catalog_name: "quadrotor", connection: { address: "ghost:1" } };
    const again = await ask("POST", "/api/assets", body);
    expect([again.status, again.body.data?.id], again.text).toEqual([200, "ast_ghost1"]);
    expect(await view("ast_ghost1")).toMatchObject({ name: "Ghost", class_type: "quadrotor" });
    expect((await ask("DELETE", "/api/assets/ast_ghost1")).status).toBe(204);
    expect((await ask("POST", "/api/assets", body)).status).toBe(201);
  });
  test("a serial that a row missing from the room has counts as bound, for registration and pairing; the row can be removed", async () => {
    await insertUnheard("ast_ghost2", { serial: "GHOST-2" });
    const body = { name: "y", catalog_name: "quadrotor", remote_id_serial: "GHOST-2" };
    expect(says(await ask("POST", "/api/assets", body))).toEqual([409, "already_bound"]);
    expect(await view("ast_ghost2")).toMatchObject({ remote_id_serial: "GHOST-2" });
    await insertUnheard("ast_ghost3", { serial: "GHOST-3" });
    const id = await made({});
    expect(says(await ask("POST", `/api/assets/${id}/bind`, { key: "GHOST-3" }))).toEqual([409, "already_bound"]);
    expect((await ask("DELETE", "/api/assets/ast_ghost3")).status).toBe(204);
    expect((await ask("POST", `/api/assets/${id}/bind`, { key: "GHOST-3" })).status).toBe(200);
  });
  test("an edit is decided again with the row as it is now", async () => {
    const id = await made({ spec: { a: 1 } });
    await write(id, "Renamed Elsewhere");
    const edited = await ask("POST", `/api/assets/${id}`, { spec: { b: 2 } });
    expect(edited.body.data ?? edited.text).toMatchObject({
      name: "Renamed Elsewhere",
      spec: { a: 1, b: 2 },
      version: 3,
    });
    await write(id, "Again");
    expect(says(await ask("POST", `/api/assets/${id}`, { spec: {}, expected_version: 3 }))).toEqual([
      409,
      "version_conflict",
    ]);
    expect(await view(id)).toMatchObject({ name: "Again", version: 4 });
    expect(await audits("asset_edited", id)).toBe(1);
  });
  test("for a deleted asset an edit is 404 and a removal 204, and it leaves the room", async () => {
    const [edited, removed] = [await made({}), await made({})];
    await drop(edited);
    await drop(removed);
    expect(says(await ask("POST", `/api/assets/${edited}`, { spec: { b: 2 } }))).toEqual([404, "not_found"]);
    expect((await ask("DELETE", `/api/assets/${removed}`)).status).toBe(204);
    for (const id of [edited, removed]) {
      expect((await ask("GET", `/api/assets/${id}`)).status).toBe(404);
      expect((await ask("DELETE", `/api/assets/${id}`)).status).toBe(404);
      expect(await audits("asset_removed", id)).toBe(0);
    }
  });
});
