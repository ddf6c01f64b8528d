/** Any bytes: a decoder counts bad input and goes on, without throwing or growing, and finds the valid messages in it. */
import fc from "fast-check";
import { minimal } from "node-mavlink";
import { expect, test } from "vitest";
import { decodeOdid } from "../../src/domain/openDroneId.ts";
import { AircraftFile } from "../../src/links/adsb/aircraftJson.ts";
import { LineSplitter, SbsDecoder } from "../../src/links/adsb/sbs.ts";
import { readEvent } from "../../src/links/cot/read.ts";
import { EventSplitter } from "../../src/links/cot/split.ts";
import { type Frame, FrameWriter, readFrames } from "../../src/links/mavlink/frames.ts";
import { toReport } from "../../src/links/mavlink/telemetry.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";
import { readMessage } from "../../src/links/remoteId/message.ts";
import { toObservation } from "../../src/links/sapient/detections.ts";
import { FrameSplitter } from "../../src/links/sapient/frames.ts";
import { decodeMessage } from "../../src/links/sapient/messages.ts";

const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
const source = { protocol: "mavlink2", address: "a", systemId: "1", linkId: "l" };

test("[LK-6] MAVLink: a sound frame is found in noise, and any payload of a known message is read without throwing", () => {
  const beat = new minimal.Heartbeat();
  Object.assign(beat, { type: 2, autopilot: 3, baseMode: 0, customMode: 0, systemStatus: 3, mavlinkVersion: 3 });
  const sound = new FrameWriter(1, 1, null).write(beat, 0);
  fc.assert(
    fc.property(bytes, bytes, (before, after) => {
      // A magic byte in the noise may hide the frame after it; without one the frame must be found.
      const clean = Buffer.from(before.map((byte) => (byte === 0xfd ? 0 : byte)));
      const found: Frame[] = [];
      readFrames(Buffer.concat([clean, sound, after]), (frame) => found.push(frame));
      expect(found.some((frame) => frame.msgid === 0)).toBe(true);
    }),
  );
  const ids = [0, 1, 24, 30, 33, 109, 147, 242, 245, 253, 12_900, 77, 111];
  const vehicle = new VehicleState(source, 1, { address: "a", port: 1 });
  fc.assert(
    fc.property(fc.constantFrom(...ids), fc.uint8Array({ maxLength: 255 }), (msgid, payload) => {
      toReport(
        { seq: 0, sysid: 1, compid: 1, msgid, payload: Buffer.from(payload), bytes: Buffer.alloc(0), isSigned: false },
        vehicle,
      );
    }),
  );
});

test("[LK-7] SAPIENT, CoT, ADS-B and Remote ID take any bytes", () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 8 }), (pieces) => {
      const frames = new FrameSplitter();
      const events = new EventSplitter();
      const lines = new LineSplitter();
      const sbs = new SbsDecoder();
      for (const piece of pieces) {
        for (const message of frames.push(piece) ?? []) decodeMessage(message);
        const message = decodeMessage(piece);
        if (message?.content.case === "detectionReport")
          toObservation({ sourceId: "s", modality: "radar", place: null }, message.content.value, 0);
        for (const xml of events.push(piece)) readEvent(xml);
        for (const line of lines.push(piece.toString("latin1"))) sbs.decode(line, 0);
        decodeOdid(piece, 1_700_000_000_000);
        readMessage(piece, "json");
      }
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const file = new AircraftFile();
      file.read(json, 0);
      file.read({ now: json, aircraft: [json, { hex: "abcdef", lat: 1, lon: 1, alt_baro: json, flight: json }] }, 0);
    }),
  );
});

test("[LK-8] an OpenDroneID payload of any content stays within the bounds of an observation", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 25, maxLength: 25 }), (message) => {
      const part = decodeOdid(message, 1_700_000_000_000);
      if ("bad" in part) return;
      if (part.lat != null) expect(Math.abs(part.lat)).toBeLessThanOrEqual(90);
      if (part.track_deg != null) expect(part.track_deg).toBeLessThanOrEqual(360);
      if (part.speed_mps != null) expect(part.speed_mps).toBeLessThanOrEqual(254.25);
      if (part.vspeed_mps != null) expect(Math.abs(part.vspeed_mps)).toBeLessThanOrEqual(62);
      if (part.uas_id !== undefined) expect(part.uas_id.length).toBeLessThanOrEqual(20);
    }),
  );
});
