/**
 * A TAK client and the picture, through the front door: its position is a contact, after its adoption a friend, and it
 * receives our picture.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startTestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

function eventOf(uid: string, type: string, lat: string, callsign: string): string {
  const [time, stale] = [0, 20_000].map((ms) => new Date(Date.now() + ms).toISOString());
  return (
    `<event version="2.0" uid="${uid}" type="${type}" how="m-g" time="${time}" start="${time}" stale="${stale}">` +
    `<point lat="${lat}" lon="8.6" hae="150" ce="5" le="5"/>` +
    `<detail><contact callsign="${callsign}"/><track speed="0" course="0"/></detail></event>`
  );
}

test("[CT-8] a TAK client's position is fused as blue force; adopted it is a friend; the others are sent it, the client itself is not", async () => {
  const service = await startTestPicket();
  const key = await service.key("owner");
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
  const get = async (path: string): Promise<any> => (await service.request("GET", path, { key })).body.data;
  const post = async (path: string, body: object) => (await service.request("POST", path, { key, body })).body.data;
  const link = await post("/api/links", { protocol: "cot_xml", port: 0, options: { period_s: 0.2 } });
  const [socket, watcher] = [connect(link.port, "127.0.0.1"), connect(link.port, "127.0.0.1")];
  let [text, ownText] = ["", ""];
  watcher.on("data", (data) => (text += data));
  socket.on("data", (data) => (ownText += data));
  for (const end of [socket, watcher]) end.on("error", () => undefined);
  await Promise.all([once(socket, "connect"), once(watcher, "connect")]);
  const tell = () => socket.write(eventOf("EUD-7", "a-f-A-M-H-Q", "50.1", "Raven"));
  const beat = setInterval(tell, 200);
  try {
    const contact = await until("the contact", async () =>
      (await get("/api/tracks")).find((track: { sensors: { modality: string }[] }) =>
        track.sensors.some(({ modality }) => modality === "blue_force"),
      ),
    );
    expect(contact.asset_id).toBeNull();
    const [found] = await get("/api/discoveries");
    expect(found).toMatchObject({
      protocol: "cot_xml",
      system_id: "EUD-7",
      type_guess: "multirotor_generic",
      state: "heard",
    });
    const asset = await post("/api/assets", { name: "Raven", connection: { address: found.address } });
    expect(asset).toMatchObject({
      class_type: "multirotor_generic",
      link: { state: "up", protocol: "cot_xml" },
      motion: { lat: 50.1 },
    });
    // CoT carries no commands, so only the verb that every asset has is offered.
    expect(asset.verbs.map((verb: { name: string }) => verb.name)).toEqual(["abort"]);
    expect(await get(`/api/tracks/${contact.id}`)).toMatchObject({ identity: "friend", asset_id: asset.id });
    await until("our view of it", () => text.includes(`.${asset.id}"`) && text.includes('callsign="Raven"'));
    socket.write(text.slice(text.indexOf("<event"), text.indexOf("</event>") + 8));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await get("/api/discoveries")).toHaveLength(1);
    expect(ownText).not.toContain("Raven");
    socket.write(eventOf("EUD-8", "a-f-G-U-C", "50.2", "Alpha"));
    const person = await until("the person", async () =>
      (await get("/api/discoveries")).find((one: { system_id: string }) => one.system_id === "EUD-8"),
    );
    const walker = await post("/api/assets", { name: "Alpha", connection: { address: person.address } });
    expect(walker).toMatchObject({ kind: "vehicle", domain: "ground", class_type: "dismounted_operator" });
    expect(walker.verbs.map((verb: { name: string }) => verb.name)).toEqual(["abort"]);
  } finally {
    clearInterval(beat);
    socket.destroy();
    watcher.destroy();
    await service.stop();
  }
});
