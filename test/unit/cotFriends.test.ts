/** Friends that a CoT link reports, through a room and back to TAK. */
import { XMLParser } from "fast-xml-parser";
import { expect, test } from "vitest";
import type { Asset } from "../../src/domain/asset.ts";
import { toRfc3339 } from "../../src/lib/clock.ts";
import { CotPublisher } from "../../src/links/cot/publish.ts";
import { readEvent } from "../../src/links/cot/read.ts";
import { meaningOf } from "../../src/links/cot/take.ts";
import { assetEvent } from "../../src/links/cot/write.ts";
import { publishedOf } from "../../src/room/telling/published.ts";
import { type ForcesRoom, openForcesRoom } from "../support/forcesRoom.ts";
import { asset } from "../support/published.ts";

const parse = (xml: string) =>
  new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", parseAttributeValue: false }).parse(xml).event;

/** A phone at 192.0.2.9 reports itself. */
function report({ room, now }: ForcesRoom, uid: string, type: string, lat: number): void {
  const [time, stale] = [now(), now() + 20_000].map(toRfc3339);
  const xml =
    `<event version="2.0" uid="${uid}" type="${type}" how="m-g" time="${time}" start="${time}" stale="${stale}">` +
    `<point lat="${lat}" lon="8" hae="150" ce="5" le="5"/><detail><track speed="0" course="0"/></detail></event>`;
  const meaning = meaningOf(readEvent(xml)!, "192.0.2.9", "lnk_1", room.id, now());
  if (meaning.is === "friend") room.commit({ op: "platform_reported", report: meaning.report }, meaning.report.atMs);
}

/** The events for a TAK server that reported none of these platforms. */
function told({ room, now }: ForcesRoom): { uid: string; type: string }[] {
  return new CotPublisher(room.id).due(publishedOf(room, now()), now()).map(({ xml }) => parse(xml));
}

test("[CT-63] a friend on the ground or at sea is sent with that domain, adopted or not", async () => {
  const forces = await openForcesRoom();
  const phones = [
    ["WALKER", "a-f-G-U-C", 50.01, "a-u-G"],
    ["BOAT", "a-f-S-C", 50.02, "a-u-S"],
    ["DIVER", "a-f-U", 50.03, "a-u-U"],
    ["DRONE", "a-f-A-M-H-Q", 50.04, "a-u-A"],
  ] as const;
  const speak = () => phones.forEach(([uid, type, lat]) => void report(forces, uid, type, lat));
  forces.pass(6, speak);
  const { reportedBy } = publishedOf(forces.room, forces.now());
  expect([...reportedBy.values()].map(({ systemId }) => systemId).sort()).toEqual(["BOAT", "DIVER", "DRONE", "WALKER"]);
  const moving = publishedOf(forces.room, forces.now()).tracks.map(({ domain }) => domain);
  expect(new Set(moving)).toEqual(new Set(["ground", "surface", "subsurface", "air"]));
  expect(new Set(told(forces).map(({ type }) => type))).toEqual(new Set(phones.map(([, , , type]) => type)));
  const domains: Asset["domain"][] = ["ground", "maritime", "maritime", "air"];
  phones.forEach(([uid], i) => {
    const connection = { address: `192.0.2.9/${uid}`, protocol: "cot_xml", port: null, system_id: uid };
    const row = {
      id: `ast_${uid}`,
      domain: domains[i]!,
      connection: { ...connection, link_id: null, secret_ref: null },
    };
    forces.commit(row);
  });
  forces.pass(2, speak);
  const owned = forces.room.tracks.all();
  expect([...owned].map(({ movesIn }) => movesIn).sort()).toEqual(["air", "ground", "subsurface", "surface"]);
  expect(new Set(told(forces).map(({ type }) => type))).toEqual(new Set(["a-f-G", "a-f-S", "a-f-A"]));
});

const types: [string, string, string][] = [
  ["dismounted_operator", "ground", "a-f-G-U"],
  ["emergency_vehicle", "ground", "a-f-G"],
  ["rover_wheeled", "ground", "a-f-G-E-V"],
  ["surface_vessel_crewed", "maritime", "a-f-S"],
  ["underwater_vehicle", "maritime", "a-f-U"],
  ["something_else", "crewed_air", "a-f-A"],
];
test.each(types)("[CT-63] a %s of the domain %s is sent as %s", (class_type, domain, type) => {
  const event = assetEvent("wsp_1", asset({ class_type, domain }), Date.UTC(2026, 10, 21, 10));
  expect(parse(event!).type).toBe(type);
});
