/** Which contacts are ours when serials are faked, platforms fall silent and registrations change. */
import { expect, test } from "vitest";
import type { LiveTrack } from "../../src/room/tracks/liveTrack.ts";
import { claimOf, type ForcesRoom, openForcesRoom, ownWord } from "../support/forcesRoom.ts";

const SERIAL = "1596F-OURS";

const near = (lat: number) => (track: LiveTrack) => Math.abs(track.lat - lat) < 0.01;
const at = (forces: ForcesRoom, lat: number) => forces.tracks().find(near(lat));
const ownershipOf = (track: LiveTrack | undefined) =>
  track && { identity: track.identity, assetId: track.assetId, flags: track.claimFlags.map(({ code }) => code) };
const OURS = { identity: "friend", assetId: "ast_1", flags: [] };
const DUPLICATE = { identity: "unknown", assetId: null, flags: ["serial_duplicate"] };

async function withVehicle(serial: string | null = SERIAL): Promise<ForcesRoom> {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_1", remote_id_serial: serial });
  return forces;
}

test("[AS-6] the last known position of a silent platform stays the reference, widened by how far it can have flown", async () => {
  const forces = await withVehicle();
  forces.pass(5, () => forces.push(ownWord("ast_1", 51, 9, forces.now())));
  forces.pass(75);
  // 670 km and 11 km off after 75 s; then 2 km, which it can have flown.
  forces.pass(6, () => forces.push(claimOf(SERIAL, 45, 9, forces.now()), claimOf(SERIAL, 51.1, 9, forces.now())));
  expect(ownershipOf(at(forces, 45))).toEqual(DUPLICATE);
  expect(ownershipOf(at(forces, 51.1))).toEqual(DUPLICATE);
  forces.pass(6, () => forces.push(claimOf(SERIAL, 51.02, 9, forces.now())));
  expect(ownershipOf(at(forces, 51.02))).toEqual(OURS);
});

test("[AS-6] how far a platform can have flown follows from its performance", async () => {
  const claimedAfterMinute = async (maxMps: number) => {
    const forces = await openForcesRoom();
    forces.commit({ id: "ast_1", remote_id_serial: SERIAL, performance: { max_mps: maxMps, wind_max_mps: 10 } });
    forces.pass(5, () => forces.push(ownWord("ast_1", 51, 9, forces.now())));
    forces.pass(60);
    forces.pass(6, () => forces.push(claimOf(SERIAL, 51.02, 9, forces.now())));
    return ownershipOf(at(forces, 51.02));
  };
  expect(await claimedAfterMinute(10)).toEqual(DUPLICATE);
  expect(await claimedAfterMinute(30)).toEqual(OURS);
});

test("[AS-6] a platform that was never heard is where its serial is claimed first; a second place is a duplicate", async () => {
  const forces = await withVehicle();
  forces.pass(5, () => forces.push(claimOf(SERIAL, 51, 9, forces.now())));
  expect(ownershipOf(at(forces, 51))).toEqual(OURS);
  forces.pass(5, () => forces.push(claimOf(SERIAL, 51, 9, forces.now()), claimOf(SERIAL, 51.2, 9, forces.now())));
  expect(ownershipOf(at(forces, 51))).toEqual(OURS);
  expect(ownershipOf(at(forces, 51.2))).toEqual(DUPLICATE);
});

test("[AS-6] a claim that came first stops being a friend when the platform reports another position", async () => {
  const forces = await withVehicle();
  forces.pass(14, () => forces.push(claimOf(SERIAL, 50.2, 8, forces.now())));
  expect(ownershipOf(at(forces, 50.2))).toEqual(OURS);
  forces.push(ownWord("ast_1", 50, 8, forces.now()));
  expect(ownershipOf(at(forces, 50.2))).toEqual(DUPLICATE);
  forces.pass(4, () => forces.push(ownWord("ast_1", 50, 8, forces.now()), claimOf(SERIAL, 50.2, 8, forces.now())));
  expect(ownershipOf(at(forces, 50.2))).toEqual(DUPLICATE);
  expect(ownershipOf(at(forces, 50))).toEqual(OURS);
  expect(forces.room.forces.fleet.get("ast_1")?.trackId).toBe(at(forces, 50)?.id);
});

test("[AS-6] a claim near a silent platform stops being a friend when the platform reports from elsewhere", async () => {
  const forces = await withVehicle();
  forces.pass(4, () => forces.push(ownWord("ast_1", 50, 8, forces.now())));
  forces.pass(60);
  forces.pass(8, () => forces.push(claimOf(SERIAL, 50.02, 8, forces.now())));
  expect(ownershipOf(at(forces, 50.02))).toEqual(OURS);
  forces.pass(4, () => forces.push(ownWord("ast_1", 50, 8, forces.now()), claimOf(SERIAL, 50.02, 8, forces.now())));
  expect(ownershipOf(at(forces, 50.02))).toEqual(DUPLICATE);
  expect(ownershipOf(at(forces, 50))).toEqual(OURS);
});

test("[AS-6] a serial that is registered again is a friend at once, whatever asset had it before", async () => {
  const forces = await withVehicle();
  const both = () => forces.push(claimOf(SERIAL, 50, 8, forces.now()), ownWord(SERIAL, 50, 8, forces.now()));
  forces.pass(6, both);
  expect(ownershipOf(at(forces, 50))).toEqual(OURS);
  forces.room.commit({ op: "asset_removed", assetId: "ast_1" }, forces.now());
  expect(ownershipOf(at(forces, 50))).toMatchObject({ identity: "unknown", assetId: null });
  forces.pass(4, () => forces.push(claimOf(SERIAL, 50, 8, forces.now())));
  forces.commit({ id: "ast_2", remote_id_serial: SERIAL });
  expect(ownershipOf(at(forces, 50))).toEqual({ ...OURS, assetId: "ast_2" });
  forces.pass(4, () => forces.push(claimOf(SERIAL, 50, 8, forces.now())));
  expect(forces.tracks().filter(near(50)).map(ownershipOf)).toEqual([{ ...OURS, assetId: "ast_2" }]);
});

test.each([SERIAL, "ast_1"])(
  "[AS-6] given a platform that only pushes its positions, as %s, the same holds",
  async (name) => {
    const forces = await withVehicle();
    const own = () => forces.push(ownWord(name, 50, 8, forces.now()));
    forces.pass(6, own);
    forces.room.commit({ op: "asset_removed", assetId: "ast_1" }, forces.now());
    forces.pass(4, own);
    expect(forces.tracks().map(ownershipOf)).toEqual([{ identity: "unknown", assetId: null, flags: [] }]);
    forces.commit({ id: "ast_2", remote_id_serial: SERIAL });
    forces.pass(4, own);
    expect(forces.tracks().map(ownershipOf)).toEqual([{ ...OURS, assetId: "ast_2" }]);
  },
);

test("[AS-13] a flood of made-up serials takes the identity from no live track and no asset", async () => {
  const forces = await withVehicle();
  const { claims } = forces.room;
  forces.commit({ id: "ast_2", remote_id_serial: "QUIET" });
  const quiet = claims.intern("rid:QUIET");
  const both = () => forces.push(ownWord("ast_1", 50, 8, forces.now()), claimOf("STRANGER", 50.1, 8, forces.now()));
  forces.pass(8, both);
  const [ours, stranger] = [at(forces, 50)!, at(forces, 50.1)!];
  const spoken = claims.intern("rid:SPOKEN");
  for (let i = 0; i < 30_000; i++) {
    claims.intern(`rid:made up ${i}`);
    if (i % 1000 === 0) claims.intern("rid:SPOKEN");
  }
  expect(claims.intern("asset:ast_1")).toBe(ours.claimNumber);
  expect(claims.intern("rid:STRANGER")).toBe(stranger.claimNumber);
  expect(claims.intern("rid:QUIET")).toBe(quiet);
  expect(claims.intern("rid:SPOKEN")).toBe(spoken);
  expect(claims.size).toBe(20_000);
  forces.pass(3, both);
  expect(forces.tracks().map(({ id }) => id)).toEqual(expect.arrayContaining([ours.id, stranger.id]));
  expect(ownershipOf(ours)).toEqual(OURS);
  expect(stranger.remoteId?.uas_id).toBe("STRANGER");
});

const squawk = (icao: string, lat: number, atMs: number) => ({
  ...{ source_id: "adsb", modality: "adsb", measured_at: atMs, icao, lat, lon: 9 },
  ...{ alt_hae_m: 200, gs_mps: 0, track_deg: 0 },
});

test.each([0, 300])(
  "[AS-25] an aircraft that identifies itself in two ways, %i ms apart, shows both",
  async (apartMs) => {
    const forces = await openForcesRoom();
    for (let second = 0; second < 12; second++) {
      const then = forces.now() - apartMs;
      forces.push(squawk("4ca2b1", 51, then), claimOf("OTHER", 51, 9, forces.now()));
      // Another aircraft, two hundred metres beside it, with a transponder only.
      forces.push(squawk("4ca2b2", 51.002, forces.now() - 600));
      forces.pass(1);
      if (second < 4) continue;
      const twice = forces.tracks().find(({ lat }) => Math.abs(lat - 51) < 0.0005);
      const claimed = [twice?.remoteId?.uas_id, twice?.adsb?.icao, twice?.identity, twice?.identityBasis];
      expect(claimed).toEqual(["OTHER", "4ca2b1", "neutral", "transponder"]);
      const once = forces.tracks().find(({ lat }) => Math.abs(lat - 51.002) < 0.0005);
      expect([once?.remoteId, once?.adsb?.icao]).toEqual([null, "4ca2b2"]);
    }
  },
);

test.each([
  ["tisb_other", "unknown", "none", []],
  ["tisb_trackfile", "unknown", "none", []],
  ["tisb_icao", "neutral", "transponder", ["air_vehicle.crewed"]],
])("[AS-81] a TIS-B report of %s is %s, by %s", async (source_kind, identity, basis, types) => {
  const forces = await openForcesRoom();
  forces.pass(6, () => void forces.push({ ...squawk("~2ab001", 51, forces.now()), source_kind }));
  const [seen] = forces.tracks();
  expect([seen?.adsb?.icao, seen?.identity, seen?.identityBasis]).toEqual(["~2ab001", identity, basis]);
  expect(seen?.classification.map(({ type }) => type)).toEqual(types);
});

test("[AS-25] our platform with a transponder is a friend, and its transponder makes no other contact one", async () => {
  const forces = await withVehicle();
  forces.pass(12, () => {
    forces.push(squawk("4ca2b1", 51, forces.now()), ownWord("ast_1", 51, 9, forces.now()));
    // Its serial, claimed 11 km off by an aircraft with a transponder.
    forces.push(squawk("4ca2b2", 51.1, forces.now()), claimOf(SERIAL, 51.1, 9, forces.now()));
  });
  expect(ownershipOf(at(forces, 51))).toEqual(OURS);
  expect(at(forces, 51)?.adsb?.icao).toBe("4ca2b1");
  expect(ownershipOf(at(forces, 51.1))).toEqual({ ...DUPLICATE, identity: "neutral" });
});
