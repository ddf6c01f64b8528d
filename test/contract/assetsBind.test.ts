/** Keys that POST /api/assets/{id}/bind accepts (docs/interface.md#assets, ADR 0073). */
import { expect, test } from "vitest";
import { says, useService } from "../support/frontDoor.ts";

const front = useService();
const made = () => front.made({ name: "x", catalog_name: "quadrotor" });
const bind = (id: string, key: string) => front.ask("POST", `/api/assets/${id}/bind`, { key });

/** A vehicle is heard on a link; its adoption key. */
function hear(address: string, systemId: string): string {
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

test("[AS-64] bind with an address binds the one platform heard there, and never stores the address as a serial", async () => {
  const id = await made();
  const key = hear("127.0.0.1:55848", "7");
  expect((await bind(id, "127.0.0.1:55848")).body.data).toMatchObject({
    remote_id_serial: key,
    connection: { address: "127.0.0.1:55848", system_id: "7" },
  });
  expect((await front.ask("GET", `/api/assets/${key}`)).body.data.id).toBe(id);
  const other = await made();
  for (const taken of [key, "127.0.0.1:55848", "127.0.0.1:55848/7"])
    expect(says(await bind(other, taken)), taken).toEqual([409, "already_bound"]);
  expect(says(await bind(other, "127.0.0.1:55849"))).toEqual([404, "not_found"]);
  // A key that is no address and was never heard may be a serial that is printed on the airframe.
  expect((await bind(other, "1581F4FKD229400B")).body.data.remote_id_serial).toBe("1581F4FKD229400B");
});

test("[AS-64] bind with an address where several platforms are heard is 400 and lists them", async () => {
  const id = await made();
  hear("127.0.0.1:55900", "1");
  const key = hear("127.0.0.1:55900", "2");
  const asked = await bind(id, "127.0.0.1:55900");
  expect(says(asked)).toEqual([400, "invalid_input"]);
  expect(asked.body.error).toContain("127.0.0.1:55900/1");
  expect((await bind(id, "127.0.0.1:55900/2")).body.data.remote_id_serial).toBe(key);
});
