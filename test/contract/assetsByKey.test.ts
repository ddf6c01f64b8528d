/**
 * Registration by an adoption key: the connection that is stored, and the answer of a repeat
 * (docs/interface.md#registration).
 */
import { expect, test } from "vitest";
import { useService } from "../support/frontDoor.ts";

const front = useService();
const register = (key: string) => front.ask("POST", "/api/assets", { name: "V", connection: { address: key } });
const connectionOf = async (id: string) => {
  const room = front.service.picket.rooms.get(front.owner.workspaceId)!;
  return room.forces.fleet.get(id)!.row.connection;
};

/** One report of a MAVLink vehicle; returns its adoption key. */
function report(address: string, systemId: string): string {
  const room = front.service.picket.rooms.get(front.owner.workspaceId)!;
  room.commit(
    {
      op: "platform_reported",
      report: { source: { protocol: "mavlink2", address, systemId, linkId: "lnk_x" }, atMs: Date.now() },
    },
    Date.now(),
  );
  return room.forces.fleet.discoveredAt(`${address}/${systemId}`)[0]!.key;
}

test("[MV-72] a registration by key stores the address, protocol and system that the key stands for", async () => {
  const key = report("127.0.0.1:55950", "7");
  const made = await register(key);
  expect(made.status, made.text).toBe(201);
  expect(await connectionOf(made.body.data.id)).toMatchObject({
    address: "127.0.0.1:55950",
    protocol: "mavlink2",
    system_id: "7",
    link_id: "lnk_x",
  });
  for (const name of [key, "127.0.0.1:55950", "127.0.0.1:55950/7"]) {
    const repeated = await register(name);
    expect([repeated.status, repeated.body.data.id], name).toEqual([200, made.body.data.id]);
  }
});

test("[MV-72] two systems behind one address are registered by their keys as two assets", async () => {
  const keys = ["1", "2"].map((systemId) => report("127.0.0.1:55960", systemId));
  const ids: string[] = [];
  for (const key of keys) {
    const made = await register(key);
    expect(made.status, made.text).toBe(201);
    ids.push(made.body.data.id);
  }
  expect(new Set(ids).size).toBe(2);
  expect(await Promise.all(ids.map(connectionOf))).toMatchObject([
    { address: "127.0.0.1:55960/1", system_id: "1" },
    { address: "127.0.0.1:55960/2", system_id: "2" },
  ]);
  for (const [i, key] of keys.entries()) {
    expect((await front.ask("GET", `/api/assets/${key}`)).body.data.id).toBe(ids[i]);
    expect((await register(key)).body.data.id).toBe(ids[i]);
  }
});
