/**
 * A SAPIENT listener for edge nodes (BSI Flex 335 v2): registration, status, detections in; acknowledgements, tasks and
 * errors out. One connection a node. Contents are in `detections.ts` and `tasks.ts`, bytes in `messages.ts` and `frames.ts`.
 */

import type { HealthComponentReport, OutgoingCommand, PlatformReport } from "../../../domain/platformReport.ts";
import type { HealthLevel } from "../../../domain/platformStates.ts";
import {
  SAPIENT_BAD_FRAMES_MAX,
  SAPIENT_MESSAGES_PER_NODE_HZ,
  SAPIENT_NODES_MAX,
  SAPIENT_UNREAD_BYTES_MAX,
} from "../../../limits.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { LinkLife, SourceLimit } from "../lifecycle.ts";
import { type TcpPeer, TcpServer } from "../tcpServer.ts";
import { modalityOf, type NodePlace, readLocation, toObservation } from "./detections.ts";
import { FrameSplitter, frame } from "./frames.ts";
import { type Content, type Decoded, decodeMessage, encodeMessage, type Fields } from "./messages.ts";
import { progressOf, SAPIENT_VERBS, stopContent, taskContent, ulidOf } from "./tasks.ts";

/** The fusion node that we are, in SAPIENT's words; an identifier of ours, fixed for the life of the link. */
const STATUS_INTERVAL_S = 5;
const ANSWER_WITHIN_MS = 10_000;
/** Seconds in each unit of Duration: unspecified, ns, us, ms, s, min, h, d. */
const UNIT_S = [1, 1e-9, 1e-6, 1e-3, 1, 60, 3600, 86_400];
const GOODBYE = 5;
const HEALTH: Readonly<Record<number, HealthLevel>> = { 1: "ok", 2: "warn", 3: "fail" };
/** NodeType to the catalogue type that names it as its anchor (contract §11). */
const TYPE_KEYS: Readonly<Record<number, string>> = {
  2: "radar_2d_rotating",
  3: "lidar_scanning",
  4: "eo_fixed",
  5: "seismic",
  6: "acoustic_single",
  7: "proximity_perimeter",
  8: "rf_presence",
  9: "human_observer",
  13: "effector_kinetic",
  14: "effector_jammer",
  15: "rf_protocol_decoder",
  16: "effector_laser",
  17: "effector_rf_energy",
  19: "eo_ptz",
  20: "fusion_node",
};

interface Node {
  readonly id: string;
  peer: TcpPeer;
  nodeType: number;
  place: NodePlace | null;
  lastHeardMs: number;
  statusIntervalS: number;
}

class SapientLink implements OpenLink {
  readonly #settings: LinkSettings;
  readonly #context: LinkContext;
  readonly #life: LinkLife;
  readonly #limit = new SourceLimit(SAPIENT_MESSAGES_PER_NODE_HZ);
  readonly #nodes = new Map<string, Node>();
  /** Tasks that were sent, by the id that SAPIENT knows them under. */
  readonly #tasks = new Map<string, { readonly taskId: string; readonly sentMs: number; isAnswered: boolean }>();
  readonly #ourId: string;
  #server: TcpServer | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(settings: LinkSettings, context: LinkContext) {
    this.#settings = settings;
    this.#context = context;
    this.#life = new LinkLife(context.clock, () => context.changed());
    const { node_id: own } = settings.options;
    this.#ourId = typeof own === "string" ? own : `picket-${settings.linkId}`;
  }

  async start(): Promise<void> {
    this.#server = await TcpServer.open({
      host: this.#settings.address,
      port: this.#settings.port ?? 0,
      clientsMax: SAPIENT_NODES_MAX,
      unreadBytesMax: SAPIENT_UNREAD_BYTES_MAX,
      life: this.#life,
      onClient: (peer) => this.#welcome(peer),
    });
    this.#timer = setInterval(() => this.#expireTasks(), 1000);
  }

  get counters() {
    return this.#life.counters;
  }

  status(nowMs: number): LinkStatus {
    return this.#life.status(nowMs);
  }

  send(command: OutgoingCommand): void {
    const { taskId, source } = command;
    const node = this.#nodes.get(source.systemId);
    const content = taskContent(command);
    this.#context.progress(taskId, { is: "sent", attempt: node === undefined || content === null ? 0 : 1 });
    if (content === null)
      this.#context.progress(taskId, {
        is: "failed",
        code: "cannot_say",
        text: `SAPIENT has no words for ${command.verb}`,
      });
    else if (node === undefined)
      this.#context.progress(taskId, { is: "busy", retryAfterMs: 1000, text: "the node is not connected" });
    else {
      this.#tasks.set(ulidOf(taskId), { taskId, sentMs: this.#context.clock.nowMs(), isAnswered: false });
      this.#write(node.peer, node.id, content);
    }
  }

  cancel(taskId: string): void {
    const nodes = [...this.#nodes.values()];
    // The node that has it knows it; to the others the id means nothing, so only it is asked.
    const task = this.#tasks.get(ulidOf(taskId));
    if (task === undefined) return;
    for (const node of nodes) this.#write(node.peer, node.id, stopContent(taskId));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#server?.close();
    this.#life.closed();
  }

  // ---- bytes

  #welcome(peer: TcpPeer) {
    const splitter = new FrameSplitter();
    let bad = 0;
    let nodeId: string | null = null;
    const fail = (why: string) => {
      this.#life.counters.bad++;
      this.#complain(peer, [why]);
      if (++bad >= SAPIENT_BAD_FRAMES_MAX) peer.end();
    };
    return {
      onData: (data: Buffer) => {
        if (this.#isClosed) return;
        const messages = splitter.push(data);
        if (messages === null) {
          fail("a message is longer than 1 MiB");
          peer.end();
          return;
        }
        for (const bytes of messages) {
          const message = decodeMessage(bytes);
          if (message === null) fail("this is no SAPIENT message");
          else {
            nodeId ??= message.nodeId;
            this.#take(message, peer, fail);
          }
        }
      },
      onGone: () => this.#gone(nodeId, peer),
    };
  }

  #write(peer: TcpPeer, destinationId: string | null, content: Content): void {
    peer.write(frame(encodeMessage(this.#ourId, destinationId, this.#context.clock.nowMs(), content)));
  }

  #complain(peer: TcpPeer, reasons: string[]): void {
    this.#write(peer, null, { case: "error", value: { errorMessage: reasons } });
  }

  // ---- messages

  #take(message: Decoded, peer: TcpPeer, fail: (why: string) => void): void {
    const nowMs = this.#context.clock.nowMs();
    if (!this.#limit.take(message.nodeId, nowMs)) {
      this.#life.counters.dropped++;
      return;
    }
    this.#life.heard(message.nodeId);
    const { content } = message;
    if (content.case === "registration") {
      this.#register(message.nodeId, content.value, peer, nowMs);
      return;
    }
    const node = this.#nodes.get(message.nodeId);
    if (node === undefined || node.peer !== peer) {
      fail("register first");
      return;
    }
    node.lastHeardMs = nowMs;
    if (content.case === "statusReport") this.#status(node, content.value, nowMs);
    else if (content.case === "detectionReport") this.#detect(node, content.value, message.atMs ?? nowMs, fail);
    else if (content.case === "taskAck") this.#acknowledge(content.value);
  }

  #register(id: string, registration: Fields, peer: TcpPeer, nowMs: number): void {
    const reasons = this.#whyNot(id, registration, peer, nowMs);
    this.#write(peer, id, {
      case: "registrationAck",
      value: { acceptance: reasons.length === 0, ackResponseReason: reasons },
    });
    if (reasons.length > 0) return;
    const nodeType = Number((registration.nodeDefinition as Fields[] | undefined)?.[0]?.nodeType ?? 0);
    const known = this.#nodes.get(id);
    if (known !== undefined && known.peer !== peer) known.peer.cut();
    const interval = (registration.statusDefinition as Fields | undefined)?.statusInterval as Fields | undefined;
    const intervalS = Number(interval?.value ?? STATUS_INTERVAL_S) * (UNIT_S[Number(interval?.units ?? 4)] ?? 1);
    const statusIntervalS = Math.min(3600, Math.max(0.1, intervalS));
    this.#nodes.set(id, { id, peer, nodeType, place: known?.place ?? null, lastHeardMs: nowMs, statusIntervalS });
    const config = (registration.configData as Fields[] | undefined)?.[0];
    const model = typeof config?.model === "string" && config.model !== "" ? config.model.slice(0, 200) : null;
    const name = String(registration.shortName ?? registration.name ?? id).slice(0, 200);
    this.#hear(id, nowMs, {
      identity: {
        kindGuess: nodeType >= 13 && nodeType <= 18 ? "vehicle" : "sensor",
        typeGuess: TYPE_KEYS[nodeType] ?? null,
        modelGuess: model,
        name,
      },
      expectedPeriodS: statusIntervalS,
    });
  }

  #whyNot(id: string, registration: Fields, peer: TcpPeer, nowMs: number): string[] {
    const reasons: string[] = [];
    const types = (registration.nodeDefinition as Fields[] | undefined) ?? [];
    if (types.length === 0 || !types.some(({ nodeType }) => Number(nodeType) > 0))
      reasons.push("no node type is given");
    const known = this.#nodes.get(id);
    const isHeard =
      known !== undefined && known.peer !== peer && nowMs - known.lastHeardMs < known.statusIntervalS * 3000;
    if (isHeard) {
      reasons.push(`the node ${id} is connected already`);
      this.#hear(id, nowMs, { conflicts: [peer.name] });
    }
    if (known === undefined && this.#nodes.size >= SAPIENT_NODES_MAX) reasons.push("too many nodes are registered");
    return reasons;
  }

  #status(node: Node, status: Fields, nowMs: number): void {
    const located = status.nodeLocation === undefined ? null : readLocation(status.nodeLocation as Fields);
    if (located !== null && !("cannot" in located))
      node.place = { lat: located.lat, lon: located.lon, alt_hae_m: located.altHaeM ?? 0 };
    const power = status.power as Fields | undefined;
    const components: HealthComponentReport[] = ((status.status as Fields[] | undefined) ?? [])
      .slice(0, 16)
      .map((one) => ({
        id: `status_${String(one.statusType ?? 0)}`,
        name: `Status ${String(one.statusType ?? 0)}`,
        level: one.statusLevel === 4 ? "fail" : one.statusLevel === 3 ? "warn" : "ok",
        message: String(one.statusValue ?? "").slice(0, 200),
        code: null,
      }));
    this.#hear(node.id, nowMs, {
      healthLevel: HEALTH[Number(status.system)] ?? "unknown",
      components,
      conflicts: [],
      ...(node.place === null ? {} : { motion: { ...node.place, vel_enu_mps: null } }),
      ...(typeof power?.level === "number"
        ? { power: { percent: Math.min(100, Math.max(0, power.level)), state: power.status === 2 ? "failed" : "ok" } }
        : {}),
      ...(typeof status.mode === "string" ? { nav: { mode: status.mode.slice(0, 64) } } : {}),
      ...(status.system === GOODBYE ? { goodbye: true } : {}),
    });
  }

  #detect(node: Node, report: Fields, atMs: number, fail: (why: string) => void): void {
    const of = { sourceId: sourceOf(node.id), modality: modalityOf(node.nodeType), place: node.place };
    const observation = toObservation(of, report, atMs);
    if ("cannot" in observation) fail(observation.cannot);
    else this.#life.counters.dropped += this.#context.observe([observation]).rejected;
  }

  #acknowledge(ack: Fields): void {
    const task = this.#tasks.get(String(ack.taskId));
    const progress = progressOf(ack);
    if (task === undefined || progress === null) return;
    task.isAnswered = true;
    if (progress.is !== "accepted") this.#tasks.delete(String(ack.taskId));
    this.#context.progress(task.taskId, progress);
  }

  #expireTasks(): void {
    const nowMs = this.#context.clock.nowMs();
    for (const [id, { taskId, sentMs, isAnswered }] of this.#tasks) {
      if (isAnswered ? nowMs - sentMs < 86_400_000 : nowMs - sentMs < ANSWER_WITHIN_MS) continue;
      this.#tasks.delete(id);
      if (!isAnswered)
        this.#context.progress(taskId, { is: "timed_out", code: "no_ack", text: "the node did not answer" });
    }
  }

  #gone(nodeId: string | null, peer: TcpPeer): void {
    if (nodeId !== null && this.#nodes.get(nodeId)?.peer === peer) this.#nodes.delete(nodeId);
  }

  /** Under the name that its observations come from, so that both are one thing to whoever adopts it. */
  #hear(id: string, nowMs: number, said: Omit<PlatformReport, "source" | "atMs">): void {
    const source = {
      protocol: "sapient_flex335_v2",
      address: sourceOf(id),
      systemId: id,
      linkId: this.#settings.linkId,
    };
    this.#context.hear({ ...said, source, atMs: nowMs });
  }
}

function sourceOf(nodeId: string): string {
  return `sapient:${nodeId.replaceAll(/[^\x21-\x7e]/g, "_").slice(0, 100)}`;
}

export const sapientAdapter: LinkAdapter = {
  protocol: "sapient_flex335_v2",
  transports: ["tcp"],
  defaults: { transport: "tcp", role: "listen", port: 5020 },
  verbs: SAPIENT_VERBS,
  refuse: ({ role, port }) =>
    role !== "listen"
      ? "edge nodes connect to us: the role is listen"
      : port === null
        ? "a SAPIENT link needs a port"
        : null,
  async open(settings, context) {
    const link = new SapientLink(settings, context);
    try {
      await link.start();
    } catch (fault) {
      await link.close();
      throw fault;
    }
    return link;
  },
};
