/** MAVLink: whatever numbers a vehicle sends, its reports have possible values. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ALT_MAX_M, ALT_MIN_M } from "../../src/domain/members.ts";
import { toReport } from "../../src/links/mavlink/telemetry.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";

const SOURCE = { protocol: "mavlink2", address: "a", systemId: "1", linkId: "l" };
/** GLOBAL_POSITION_INT, ATTITUDE, GPS_RAW_INT, SYS_STATUS, BATTERY_STATUS, HOME_POSITION, the two of Remote ID. */
const IDS = [33, 30, 24, 1, 147, 242, 12_900, 12_901];

function everyNumber(value: unknown, isPossible: (number: number) => boolean): boolean {
  if (typeof value === "number") return isPossible(value);
  if (value === null || typeof value !== "object") return true;
  return Object.values(value).every((member) => everyNumber(member, isPossible));
}

test("[MV-44] given any payloads in any order, every reported number is finite and every position on the earth", () => {
  // Whole messages, so that numbers stand where a sender would put them; leading zeros make empty ids likely.
  const payload = fc.oneof(
    fc.uint8Array({ minLength: 60, maxLength: 255 }),
    fc.uint8Array({ maxLength: 60 }).map((tail) => Uint8Array.of(...new Uint8Array(22), ...tail)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...IDS), payload), { maxLength: 12 }), (messages) => {
      const vehicle = new VehicleState(SOURCE, 1, { address: "a", port: 1 });
      for (const [msgid, bytes] of messages) {
        const frame = { seq: 0, sysid: 1, compid: 1, msgid, bytes: Buffer.alloc(0), isSigned: false };
        const said = toReport({ ...frame, payload: Buffer.from(bytes) }, vehicle);
        expect(everyNumber(said, Number.isFinite), JSON.stringify(said)).toBe(true);
        if (said?.motion === undefined) continue;
        const { lat, lon, alt_hae_m: alt, heading_deg: heading } = said.motion;
        expect(Math.abs(lat) <= 90 && Math.abs(lon) <= 180).toBe(true);
        // The undulation may lift it over the bounds by as much as the geoid can.
        expect(alt == null || (alt >= ALT_MIN_M - 120 && alt <= ALT_MAX_M + 120)).toBe(true);
        expect(heading == null || (heading >= 0 && heading < 360)).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});
