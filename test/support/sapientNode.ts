/** An edge node that speaks SAPIENT (BSI Flex 335 v2) over TCP: registers, reports, answers tasks. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { FrameSplitter, frame } from "../../src/links/sapient/frames.ts";
import { type Decoded, decodeMessage, encodeMessage, type Fields } from "../../src/links/sapient/messages.ts";

export class SapientNode {
  readonly socket: Socket;
  readonly received: Decoded[] = [];
  readonly #id: string;
  /** Offset of its clock, positive when it is ahead of ours. */
  aheadMs = 0;

  constructor(socket: Socket, id: string) {
    this.socket = socket;
    this.#id = id;
    const splitter = new FrameSplitter();
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      for (const bytes of splitter.push(data)) {
        const message = decodeMessage(bytes);
        if (message !== null) this.received.push(message);
      }
    });
  }

  say(name: string, value: Fields, atMs = Date.now() + this.aheadMs): void {
    this.sayAs(this.#id, name, value, atMs);
  }

  sayAs(id: string, name: string, value: Fields, atMs = Date.now()): void {
    this.socket.write(frame(encodeMessage(id, null, atMs, { case: name, value })));
  }

  register(nodeType: number, modes: readonly string[] = []): void {
    this.say("registration", {
      nodeDefinition: [{ nodeType }],
      icdVersion: "BSI Flex 335 v2.0",
      name: "North mast",
      shortName: "North",
      statusDefinition: { statusInterval: { units: 4, value: 1 } },
      modeDefinition: modes.map((modeName) => ({ modeName })),
      configData: [{ manufacturer: "Example", model: "NM-1" }],
    });
  }

  status(system = 1): void {
    this.say("statusReport", {
      reportId: "01JD00000000000000000000AA",
      system,
      info: 1,
      mode: "default",
      power: { level: 88, source: 2, status: 1 },
      nodeLocation: { x: 8.56, y: 50.03, z: 150, coordinateSystem: 1, datum: 1 },
      status: [{ statusLevel: 3, statusValue: "rain", statusType: 4 }],
    });
  }

  last(name: string): Fields | undefined {
    return this.received.findLast(({ content }) => content.case === name)?.content.value;
  }
}

export async function startNode(port: number, id: string): Promise<SapientNode> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return new SapientNode(socket, id);
}
