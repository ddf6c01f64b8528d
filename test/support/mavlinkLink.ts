/** A MAVLink link without a network: a test gives it datagrams from any address and reads the datagrams that it sends. */
import { type RemoteInfo, Socket } from "node:dgram";
import { common, type MavLinkData, minimal } from "node-mavlink";
import { vi } from "vitest";
import type { Clock } from "../../src/lib/clock.ts";
import { mavlinkAdapter } from "../../src/links/mavlink/adapter.ts";
import { type Frame, FrameWriter, readFrames, readMessage } from "../../src/links/mavlink/frames.ts";
import { testContext, testSettings } from "./linkContext.ts";

interface Written {
  readonly port: number;
  readonly frame: Frame;
}

/** One component of one system at one address. */
export interface Speaker {
  /** Delivers a message; the returned function delivers the same frame again. */
  say(message: MavLinkData): () => void;
  /** Numbers a frame now; the returned function delivers it. */
  sayLate(message: MavLinkData): () => void;
}

export function heartbeat(of: object = {}): minimal.Heartbeat {
  const usual = { type: 2, autopilot: 3, baseMode: 129, customMode: 4, systemStatus: 4, mavlinkVersion: 3 };
  return Object.assign(new minimal.Heartbeat(), usual, of);
}

export async function openMavlink(clock: Clock) {
  const on = vi.spyOn(Socket.prototype, "on");
  const written: Written[] = [];
  const send = vi.spyOn(Socket.prototype, "send").mockImplementation(((bytes: Buffer, port: number) => {
    readFrames(bytes, (frame) => written.push({ port, frame }));
  }) as never);
  const context = { ...testContext(), clock };
  const settings = testSettings({ protocol: "mavlink2", transport: "udp", role: "listen", port: 0 });
  const link = await mavlinkAdapter.open(settings, context);
  const receive = on.mock.calls.find((call) => String(call[0]) === "message")![1] as unknown as (
    datagram: Buffer,
    from: RemoteInfo,
  ) => void;
  on.mockRestore();
  return {
    link,
    reports: context.reports,
    progressed: context.progressed,
    written,
    /** The commands that it sent, without message requests. */
    commands: () =>
      written
        .filter(({ frame }) => frame.msgid === common.CommandLong.MSG_ID)
        .map(({ frame }) => readMessage(frame, common.CommandLong))
        .filter(({ command }) => (command as number) !== 511),
    asked: () =>
      written
        .filter(({ frame }) => frame.msgid === common.CommandLong.MSG_ID)
        .map(({ frame }) => readMessage(frame, common.CommandLong))
        .filter(({ command }) => (command as number) === 511).length,
    speaker(port: number, sysid: number, compid = 1): Speaker {
      const writer = new FrameWriter(sysid, compid, null);
      const sayLate = (message: MavLinkData) => {
        const bytes = writer.write(message, 0);
        return () => receive(bytes, { address: "192.0.2.1", family: "IPv4", size: bytes.length, port });
      };
      return {
        sayLate,
        say(message) {
          const deliver = sayLate(message);
          deliver();
          return deliver;
        },
      };
    },
    async close() {
      await link.close();
      send.mockRestore();
    },
  };
}
