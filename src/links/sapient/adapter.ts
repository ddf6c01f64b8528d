/**
 * A SAPIENT listener for edge nodes (BSI Flex 335 v2): registration, status, detections in; acknowledgements, tasks and
 * errors out. One connection for each node. Contents are in `detections.ts` and `tasks.ts`, bytes in `messages.ts` and `frames.ts`.
 */

import { createHash } from "node:crypto";
import type { OutgoingCommand, PlatformReport } from "../../domain/platformReport.ts";
import {
  SAPIENT_BAD_FRAMES_MAX,
  SAPIENT_MESSAGES_PER_NODE_HZ,
  SAPIENT_NODES_MAX,
  SAPIENT_REGISTER_WITHIN_MS,
  SAPIENT_UNREAD_BYTES_MAX,
} from "../../limits.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { LinkLife, SourceLimit } from "../lifecycle.ts";
import { type TcpPeer, TcpServer } from "../net/tcpServer.ts";
import { type Control, Controls, controlContent, isControl } from "./controls.ts";
import { isLost, modalityOf, readNodeMotion, toObservation } from "./detections.ts";
import { FrameSplitter, frame } from "./frames.ts";
import { type Content, type Decoded, decodeMessage, encodeMessage, type Fields } from "./messages.ts";
import { type EdgeNode, modesOf, NodeTable } from "./nodes.ts";
import { SentTasks, type StopOrder } from "./sentTasks.ts";
import { readStatus } from "./status.ts";
import { SAPIENT_VERBS, taskParts } from "./tasks.ts";

const ALERT_ACCEPTED = 1;
/** Bytes of a refused packet that are returned with the error. */
const ERROR_PACKET_BYTES_MAX = 4096;
/** AlertType as a word before the alert's text. */
const ALERT_WORDS = ["", "information", "warning", "critical", "error", "fatal", "mode change"];
/** Node types that act instead of sensing: kinetic, jammer, directed energy, mobile. A cyber node (15) senses too. */
const VEHICLE_TYPES: ReadonlySet<number> = new Set([13, 14, 16, 17, 18]);
/** NodeType to the catalogue type that names it as its anchor (docs/interface.md#catalogue-types). */
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

class SapientLink implements OpenLink {
  readonly #settings: LinkSettings;
  readonly #context: LinkContext;
  readonly #life: LinkLife;
  readonly #nodes = new NodeTable();
  readonly #sent = new SentTasks();
  readonly #controls = new Controls();
  readonly #ourId: string;
  #server: TcpServer | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(settings: LinkSettings, context: LinkContext) {
    this.#settings = settings;
    this.#context = context;
    this.#life = new LinkLife(context.clock, () => context.changed());
    const { node_id: own } = settings.options;
    this.#ourId = typeof own === "string" ? own : uuidOf(settings.linkId);
  }

  async start(): Promise<void> {
    this.#server = await TcpServer.open({
      host: this.#settings.address,
      port: this.#settings.port ?? 0,
      clientsMax: SAPIENT_NODES_MAX,
      queue: { unreadBytesMax: SAPIENT_UNREAD_BYTES_MAX, waitingMax: 0, stalledMs: 0 },
      life: this.#life,
      onClient: (peer) => this.#welcome(peer),
    });
    this.#timer = setInterval(() => this.#expireTasks(), 1000);
  }

  get counters() {
    return this.#life.counters;
  }

  status(nowMs: number): LinkStatus {
    return { ...this.#life.status(nowMs), offsetMs: this.#nodes.worstOffsetMs };
  }

  isFree({ source }: OutgoingCommand): boolean {
    return this.#nodes.get(source.systemId) !== undefined;
  }

  send(command: OutgoingCommand): void {
    const { taskId, source, verb } = command;
    const node = this.#nodes.get(source.systemId);
    if (node === undefined)
      this.#context.progress(taskId, { is: "busy", retryAfterMs: 1000, text: "the node is not connected" });
    else if (isControl(verb)) this.#order(command, verb, node);
    else this.#begin(command, node);
  }

  #begin(command: OutgoingCommand, node: EdgeNode): void {
    const { taskId, verb } = command;
    const parts = taskParts(command);
    if (parts === null) {
      this.#context.progress(taskId, { is: "failed", code: "cannot_say", text: `SAPIENT has no task for ${verb}` });
      return;
    }
    this.#sent.note(command, parts, this.#context.clock.nowMs());
    for (const { content } of parts) this.#write(node.peer, node.id, content);
  }

  #order(command: OutgoingCommand, verb: Control, node: EdgeNode): void {
    const { taskId } = command;
    const currentId = node.activeTaskId ?? this.#sent.lastAcceptedBy(node.id);
    const id = this.#controls.targetOf(verb, node.id, currentId);
    if (id === null) {
      const text = verb === "start" ? "the node has no paused task" : `the node has no task to ${verb}`;
      this.#context.progress(taskId, { is: "refused", code: "no_task", text });
    } else if (this.#controls.note(command, id, this.#context.clock.nowMs()))
      this.#write(node.peer, node.id, controlContent(verb, id));
    else {
      const text = "the node has not answered the last order about its task yet";
      this.#context.progress(taskId, { is: "busy", retryAfterMs: 1000, text });
    }
  }

  resume(command: OutgoingCommand): boolean {
    if (this.#nodes.get(command.source.systemId) === undefined) return false;
    this.#sent.note(command, taskParts(command) ?? [], this.#context.clock.nowMs(), true);
    return true;
  }

  /** Stops what runs at the node until it is stopped, such as pointing a camera. A mode that was set stays set. */
  drop(taskId: string): void {
    this.#controls.drop(taskId);
    this.#stop(this.#sent.drop(taskId));
  }

  cancel(taskId: string): boolean {
    return this.#stop(this.#sent.cancel(taskId, this.#context.clock.nowMs()));
  }

  /** false: the node is not connected. */
  #stop(order: StopOrder | null): boolean {
    const node = order === null ? undefined : this.#nodes.get(order.nodeId);
    if (order === null || node === undefined) return false;
    for (const id of order.ids) this.#write(node.peer, node.id, controlContent("stop", id));
    return true;
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
    const limit = new SourceLimit(SAPIENT_MESSAGES_PER_NODE_HZ, 1);
    let bad = 0;
    let isOver = false;
    const end = () => {
      isOver = true;
      peer.end();
    };
    const fail = (why: string, packet: Buffer) => {
      this.#life.counters.bad++;
      this.#complain(peer, why, packet);
      if (++bad >= SAPIENT_BAD_FRAMES_MAX) end();
    };
    const patience = setTimeout(() => this.#nodes.of(peer) === undefined && peer.cut(), SAPIENT_REGISTER_WITHIN_MS);
    const take = (bytes: Buffer) => {
      const nowMs = this.#context.clock.nowMs();
      if (!limit.take(peer.name, nowMs)) {
        this.#life.counters.dropped++;
        return;
      }
      const message = decodeMessage(bytes);
      if (message === null) fail("this is not a SAPIENT message", bytes);
      else if (message.content.case === "registration") this.#register(message, peer, nowMs);
      else if (this.#nodes.of(peer)?.id === message.nodeId) this.#take(message, bytes, this.#nodes.of(peer)!, nowMs);
      else fail("register first", bytes);
    };
    return {
      onData: (data: Buffer) => {
        if (this.#isClosed || isOver) return;
        for (const bytes of splitter.push(data)) if (!isOver) take(bytes);
        if (!splitter.isBroken || isOver) return;
        fail("a message is longer than 1 MiB", data);
        end();
      },
      onGone: () => {
        clearTimeout(patience);
        this.#nodes.gone(peer);
      },
    };
  }

  #write(peer: TcpPeer, destinationId: string | null, content: Content): void {
    peer.write(frame(encodeMessage(this.#ourId, destinationId, this.#context.clock.nowMs(), content)));
  }

  #complain(peer: TcpPeer, why: string, packet: Buffer): void {
    const value = { packet: packet.subarray(0, ERROR_PACKET_BYTES_MAX), errorMessage: [why] };
    this.#write(peer, null, { case: "error", value });
  }

  // ---- messages

  #take({ content, atMs }: Decoded, bytes: Buffer, node: EdgeNode, nowMs: number): void {
    this.#life.heard(node.id);
    node.lastHeardMs = nowMs;
    if (atMs !== null) node.clock.note(atMs, nowMs);
    // Every message keeps the node alive: one that sends detections is not lost when its status report is late.
    if (content.case !== "statusReport") this.#report(node.id, nowMs, {});
    if (content.case === "statusReport") this.#status(node, content.value, nowMs);
    else if (content.case === "detectionReport")
      this.#detect(node, content.value, atMs === null ? nowMs : node.clock.toOurs(atMs), bytes);
    else if (content.case === "taskAck") this.#acknowledge(node, content.value);
    else if (content.case === "alert") this.#alert(node, content.value, nowMs);
  }

  #register({ nodeId, content, atMs }: Decoded, peer: TcpPeer, nowMs: number): void {
    const registration = content.value;
    const node = this.#nodes.register(nodeId, registration, peer, nowMs);
    const reasons = "reasons" in node ? node.reasons : [];
    this.#write(peer, nodeId, {
      case: "registrationAck",
      value: { acceptance: reasons.length === 0, ackResponseReason: reasons },
    });
    if ("reasons" in node) {
      this.#life.counters.dropped++;
      if (node.isConflict) this.#report(nodeId, nowMs, { conflicts: [peer.name] });
      return;
    }
    this.#life.heard(nodeId);
    if (atMs !== null) node.clock.note(atMs, nowMs);
    const config = (registration.configData as Fields[] | undefined)?.[0];
    const model = typeof config?.model === "string" && config.model !== "" ? config.model.slice(0, 200) : null;
    this.#report(nodeId, nowMs, {
      identity: {
        kindGuess: VEHICLE_TYPES.has(node.nodeType) ? "vehicle" : "sensor",
        typeGuess: TYPE_KEYS[node.nodeType] ?? null,
        modelGuess: model,
        name: String(registration.shortName ?? registration.name ?? nodeId).slice(0, 200),
      },
      modes: modesOf(registration),
      expectedPeriodS: node.statusIntervalS,
    });
  }

  #status(node: EdgeNode, status: Fields, nowMs: number): void {
    if (status.nodeLocation !== undefined) node.motion = readNodeMotion(status.nodeLocation as Fields) ?? node.motion;
    const motion = node.motion === null ? {} : { motion: { ...node.motion, vel_enu_mps: null } };
    this.#report(node.id, nowMs, { ...readStatus(status), ...motion });
    node.activeTaskId = typeof status.activeTaskId === "string" ? status.activeTaskId || null : null;
    const news = this.#sent.active(node.id, status.activeTaskId);
    if (news !== null) this.#context.progress(news.taskId, news.progress);
  }

  /**
   * `atMs` is null while it is unknown what the node's clock means. Refused detections are answered with the reason.
   */
  #detect(node: EdgeNode, report: Fields, atMs: number | null, bytes: Buffer): void {
    if (isLost(report)) {
      this.#life.counters.dropped++;
      return;
    }
    const why = atMs === null ? whyNoTime(node) : this.#observe(node, report, atMs);
    if (why === null) return;
    this.#life.counters.dropped++;
    this.#complain(node.peer, why, bytes);
  }

  /** Why the detection was refused; null: it was taken. */
  #observe({ id, nodeType, motion }: EdgeNode, report: Fields, atMs: number): string | null {
    // The origin of a bearing needs a height; one above the sea is nearer to the truth than zero.
    const place = motion === null ? null : { lat: motion.lat, lon: motion.lon, alt_hae_m: motion.alt_hae_m ?? 0 };
    const of = { sourceId: sourceOf(id), modality: modalityOf(nodeType), place };
    const observation = toObservation(of, report, atMs);
    return "cannot" in observation ? observation.cannot : this.#context.observe([observation]).why;
  }

  #acknowledge(node: EdgeNode, ack: Fields): void {
    // The first ack is for the task itself, even if a control was sent after it.
    const id = String(ack.taskId);
    const ordered = this.#sent.isUnanswered(id) ? null : this.#controls.answer(node.id, ack);
    if (ordered !== null) this.#context.progress(ordered.taskId, ordered.progress);
    if (ordered?.ofTask === "goes_on") return;
    const news = ordered?.ofTask === "stopped" ? this.#sent.stopped(node.id, id) : this.#sent.answer(node.id, ack);
    if (news !== null) this.#context.progress(news.taskId, news.progress);
  }

  #alert(node: EdgeNode, alert: Fields, nowMs: number): void {
    const words = [ALERT_WORDS[Number(alert.alertType)], alert.description].filter(
      (word) => word !== "" && word != null,
    );
    const message = words
      .map(String)
      .join(": ")
      .replaceAll(/\p{Cc}+/gu, " ")
      .slice(0, 200);
    if (message !== "") this.#report(node.id, nowMs, { message });
    const value = { alertId: alert.alertId, alertAckStatus: ALERT_ACCEPTED };
    this.#write(node.peer, node.id, { case: "alertAck", value });
  }

  #expireTasks(): void {
    const nowMs = this.#context.clock.nowMs();
    for (const taskId of [...this.#sent.expire(nowMs), ...this.#controls.expire(nowMs)])
      this.#context.progress(taskId, { is: "timed_out", code: "no_ack", text: "the node did not answer" });
    const { again, unanswered } = this.#sent.stops(nowMs);
    for (const order of again) this.#stop(order);
    for (const taskId of unanswered)
      this.#context.progress(taskId, { is: "cancel_declined", text: "the node did not answer the order to stop" });
  }

  /** Reports under the source id of the node's observations, so that both are adopted as one asset. */
  #report(id: string, nowMs: number, said: Omit<PlatformReport, "source" | "atMs">): void {
    const source = {
      protocol: "sapient_flex335_v2",
      address: sourceOf(id),
      systemId: id,
      linkId: this.#settings.linkId,
    };
    this.#context.report({ ...said, source, atMs: nowMs });
  }
}

/** Our own node id. SAPIENT asks for a UUID; it stays the same for the life of the link (RFC 9562, v8). */
function uuidOf(linkId: string): string {
  const hex = createHash("sha256").update(linkId).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

function whyNoTime({ clock }: EdgeNode): string {
  const offS = Math.round((clock.offsetMs ?? 0) / 1000);
  return `the clock of the node is ${offS} s off and is not running: the time of the detection is unknown`;
}

function sourceOf(nodeId: string): string {
  return `sapient:${nodeId.replaceAll(/[^\x21-\x7e]/g, "_").slice(0, 100)}`;
}

export const sapientAdapter: LinkAdapter = {
  protocol: "sapient_flex335_v2",
  transports: ["tcp"],
  defaults: { transport: "tcp", role: "listen", port: 5020 },
  verbs: SAPIENT_VERBS,
  refuse({ role, port, options }) {
    if (role !== "listen") return "edge nodes connect to us: the role is listen";
    const { node_id: own } = options;
    if (own !== undefined && !(typeof own === "string" && /^[\x21-\x7e]{1,64}$/.test(own)))
      return "options.node_id must be 1 to 64 printable characters, a UUID by the standard";
    return port === null ? "a SAPIENT link needs a port" : null;
  },
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
