/** MAVLink: what of a vehicle's messages is not believed. Values from mavlink common.xml. */
import { common } from "node-mavlink";
import { expect, test } from "vitest";
import { type Frame, FrameWriter, readFrames } from "../../src/features/links/mavlink/frames.ts";
import { sayOf } from "../../src/features/links/mavlink/telemetry.ts";
import { VehicleState } from "../../src/features/links/mavlink/vehicleState.ts";

const vehicle = () =>
  new VehicleState({ protocol: "mavlink2", address: "10.0.0.1:14550", systemId: "7", linkId: "l" }, 7, {
    address: "10.0.0.1",
    port: 14_550,
  });
const writer = new FrameWriter(7, 1, null);
type Message = Parameters<FrameWriter["write"]>[0];

function say(message: Message, state = vehicle()) {
  let found: Frame | null = null;
  readFrames(writer.write(message, 0), (frame) => (found = frame));
  return sayOf(found!, state);
}
const nobody = new Array<number>(20).fill(0);
const neighbour = [1, 2, 3, 4, 5, 6, ...new Array<number>(14).fill(0)];
const position = (of: Partial<common.GlobalPositionInt> = {}) =>
  Object.assign(new common.GlobalPositionInt(), { lat: 500_000_000, lon: 80_000_000, alt: 100_000, hdg: 0, ...of });
const remoteIdPlace = (of: Partial<common.OpenDroneIdLocation> = {}) =>
  Object.assign(new common.OpenDroneIdLocation(), {
    idOrMac: nobody,
    latitude: 500_000_000,
    longitude: 80_000_000,
    altitudeGeodetic: 150,
    direction: 36_100,
    speedHorizontal: 25_500,
    speedVertical: 6300,
    ...of,
  });

test("[MV-40] what its receiver heard of another aircraft's Remote ID says nothing of the vehicle", () => {
  const uasId = [...Buffer.from("HOSTILE-1".padEnd(20, "\0"))];
  const basic = (idOrMac: number[]) => Object.assign(new common.OpenDroneIdBasicId(), { idType: 1, uasId, idOrMac });
  expect(say(basic(nobody))).toEqual({ identity: { remoteIdSerial: "HOSTILE-1" } });
  expect(say(basic(neighbour))).toBeNull();
  const self = (idOrMac: number[]) =>
    Object.assign(new common.OpenDroneIdSelfId(), { idOrMac, description: "survey".padEnd(23, "\0") });
  expect(say(self(nobody))).not.toBeNull();
  expect(say(self(neighbour))).toBeNull();
  expect(say(remoteIdPlace())).not.toBeNull();
  expect(say(remoteIdPlace({ idOrMac: neighbour }))).toBeNull();
  const state = vehicle();
  say(position(), state);
  say(remoteIdPlace({ idOrMac: neighbour }), state);
  expect(state.undulationM).toBeNull();
});
