/** The ledger's rows are newer than the room's tasks: only written moves are published. */
import { describe, expect, test } from "vitest";
import { useService } from "../support/frontDoor.ts";

const front = useService();
const { ask } = front;
const status = async (id: string) => (await ask("GET", `/api/tasks/${id}`)).body.data.status;
const moves = async (id: string) =>
  (await ask("GET", `/api/events?name=tasking_status&subject=${id}`)).body.data.map(
    ({ data }: { data: { previous: string; status: string } }) => [data.previous, data.status],
  );

/** A vehicle that is heard, and a command to it that no link can carry. */
async function waiting(): Promise<{ asset: string; task: string }> {
  const asset = await front.made({ name: "x", catalog_name: "quadrotor" });
  const where = { lat: 50, lon: 8, alt_hae_m: 100, gps_fix: "3d", battery_pct: 80, armed: true };
  const report = { source_id: "gcs", modality: "blue_force", measured_at: Date.now(), asset_key: asset, ...where };
  await ask("POST", "/api/signals", report);
  return { asset, task: await commanded(asset) };
}
async function commanded(asset: string): Promise<string> {
  const params = { kind: "point", lat: 50.01, lon: 8.01 };
  const answer = await ask("POST", `/api/assets/${asset}/command`, { verb: "goto", params });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}
/** The row as it is after a write whose answer was lost, or a write of another node. */
const write = (id: string, to: string, isOpen: boolean) =>
  front.service.picket.db.run(
    (sql) => sql`
      update tasks set status = ${to}, is_open = ${isOpen},
        task = task || ${sql.json({ status: to, status_version: 7 })}
      where workspace_id = ${front.owner.workspaceId} and id = ${id}`,
  );

describe("[TK-70] given a ledger row newer than the one that was decided on, it is decided again", () => {
  test("a newer order does not supersede a task that has ended or was sent meanwhile", async () => {
    for (const [to, isOpen] of [
      ["cancelled", false],
      ["sent", true],
    ] as const) {
      const { asset, task } = await waiting();
      await write(task, to, isOpen);
      const newer = await commanded(asset);
      expect([await status(task), await status(newer)]).toEqual([to, "queued"]);
      expect(await moves(task)).toEqual([]);
    }
  });
  test("it supersedes tasks that still wait; the removal of the asset ends open tasks from their present state", async () => {
    const { asset, task } = await waiting();
    await write(task, "queued", true);
    const newer = await commanded(asset);
    expect(await status(task)).toBe("superseded");
    expect(await moves(task)).toEqual([["queued", "superseded"]]);
    await write(newer, "sent", true);
    expect((await ask("DELETE", `/api/assets/${asset}`)).status).toBe(204);
    expect(await status(newer)).toBe("failed");
    expect(await moves(newer)).toEqual([["sent", "failed"]]);
  });
  test("the removal sends no second end of a task that has ended", async () => {
    const { asset, task } = await waiting();
    await write(task, "succeeded", false);
    expect((await ask("DELETE", `/api/assets/${asset}`)).status).toBe(204);
    expect(await status(task)).toBe("succeeded");
    expect(await moves(task)).toEqual([]);
  });
});
