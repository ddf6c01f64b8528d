/**
 * MAVLink 2 over UDP: one socket, many vehicles. A vehicle sends first; we answer to the address it sends from and to no
 * other. The meaning of messages is in `telemetry.ts`, the sending of orders in `orders.ts`.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { common, type MavLinkData, minimal } from "node-mavlink";
import type { OutgoingCommand } from "../../domain/platformReport.ts";
import { FORGOTTEN_AFTER_MS, LINK_SOURCES_MAX, MAVLINK_FRAMES_PER_SOURCE_HZ } from "../../limits.ts";
import {
  type LinkAdapter,
  type LinkContext,
  type LinkSettings,
  type LinkStatus,
  type OpenLink,
  PortInUseError,
} from "../adapter.ts";
import { faultCode, LinkLife, SourceLimit } from "../lifecycle.ts";
import { isCamera } from "./camera.ts";
import { CommandCancel } from "./commandCancel.ts";
import { type CommandMessage, MAVLINK_VERBS } from "./commands.ts";
import { type Frame, FrameWriter, readFrames, readMessage, SignatureCheck, signingKey } from "./frames.ts";
import { AUTOPILOT_INVALID, isAutopilot } from "./modes.ts";
import { Orders } from "./orders.ts";
import { isRead, isReadLate, isReadOfParts, toReport } from "./telemetry.ts";
import { VehicleState } from "./vehicleState.ts";
import { VehicleTable, vehicleName } from "./vehicles.ts";

const OUR_SYSID = 255;
const OUR_COMPID = 190;
const HEARTBEAT_PERIOD_MS = 1000;
const TICK_PERIOD_MS = 100;
/** Two sources with one system id conflict while both sent a heartbeat within this time. */
const CONFLICT_WITHIN_MS = 5000;
/** Addresses listed in a conflict. An operator needs a few; a flood must not make the list longer. */
const CONFLICTS_MAX = 8;
/** Pause between two reports of who is in a conflict. Its beginning and end are reported at once. */
const CONFLICTS_AGAIN_MS = 5000;
const ANSWERED_WITHIN_MS = 30_000;
const AUTOPILOT_SILENT_MS = 5000;
/** Messages that we request, and their period in microseconds (MAV_CMD_SET_MESSAGE_INTERVAL, 511). */
const WANTED: readonly [typeof common.GlobalPositionInt | { MSG_ID: number }, number][] = [
  [common.GlobalPositionInt, 200_000],
  [common.GpsRawInt, 1_000_000],
  [common.SysStatus, 1_000_000],
  [common.BatteryStatus, 1_000_000],
  [common.ExtendedSysState, 1_000_000],
  [common.HomePosition, 10_000_000],
];
const SET_MESSAGE_INTERVAL = 511;

class MavlinkLink implements OpenLink {
  readonly #settings: LinkSettings;
  readonly #context: LinkContext;
  readonly #socket: Socket;
  readonly #life: LinkLife;
  readonly #limit = new SourceLimit(MAVLINK_FRAMES_PER_SOURCE_HZ);
  readonly #writer: FrameWriter;
  readonly #signatures: SignatureCheck | null;
  readonly #vehicles = new VehicleTable();
  readonly #orders: Orders;
  readonly #timers: NodeJS.Timeout[] = [];
  #isClosed = false;

  constructor(settings: LinkSettings, context: LinkContext, socket: Socket) {
    this.#settings = settings;
    this.#context = context;
    this.#socket = socket;
    this.#life = new LinkLife(context.clock, () => context.changed());
    const key = settings.secret === null ? null : signingKey(settings.secret);
    this.#writer = new FrameWriter(OUR_SYSID, OUR_COMPID, key);
    this.#signatures = key === null ? null : new SignatureCheck(key, LINK_SOURCES_MAX);
    this.#orders = new Orders({
      nowMs: () => context.clock.nowMs(),
      write: (vehicle, message, confirmation) => this.#write(vehicle, commandMessage(vehicle, message, confirmation)),
      askToDrop: (vehicle, message) => this.#write(vehicle, cancelMessage(vehicle, message)),
      progress: (taskId, progress) => this.#isClosed || context.progress(taskId, progress),
      placeOf: (trackId) => context.placeOf(trackId),
    });
  }

  start(): void {
    this.#life.localPort = this.#socket.address().port;
    this.#life.up();
    this.#socket.on("message", (datagram, from) => this.#receive(datagram, from));
    this.#socket.on("error", (fault) => this.#life.failed(faultCode(fault), fault.message));
    this.#timers.push(setInterval(() => this.#tick(), TICK_PERIOD_MS));
    this.#timers.push(setInterval(() => this.#beat(), HEARTBEAT_PERIOD_MS));
  }

  get counters() {
    return this.#life.counters;
  }

  status(nowMs: number): LinkStatus {
    return this.#life.status(nowMs);
  }

  isFree(command: OutgoingCommand): boolean {
    return this.#orders.isFree(command, this.#vehicleOf(command));
  }

  send(command: OutgoingCommand): void {
    this.#orders.onOrder(command, this.#vehicleOf(command));
  }

  resume(command: OutgoingCommand): boolean {
    return this.#orders.onResume(command, this.#vehicleOf(command));
  }

  cancel(taskId: string): boolean {
    return this.#orders.onCancel(taskId);
  }

  drop(taskId: string): void {
    this.#orders.onDrop(taskId);
  }

  #vehicleOf({ source }: OutgoingCommand): VehicleState | undefined {
    return this.#vehicles.get(vehicleName(source.address, Number(source.systemId)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#socket.removeAllListeners("message");
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  // ---- in

  #receive(datagram: Buffer, from: RemoteInfo): void {
    if (this.#isClosed) return;
    // Port 0 means that the sender expects no reply (RFC 768), and the system refuses to send there.
    if (from.port === 0) {
      this.#life.counters.bad++;
      return;
    }
    const address = `${from.address}:${from.port}`;
    const nowMs = this.#context.clock.nowMs();
    // In two steps, because #take changes the same counter while the frames are read.
    const bad = readFrames(datagram, (frame) => this.#take(frame, address, from, nowMs));
    this.#life.counters.bad += bad;
  }

  #take(frame: Frame, address: string, from: RemoteInfo, nowMs: number): void {
    const { counters } = this.#life;
    if (this.#signatures?.accepts(frame, nowMs) === false) {
      counters.bad++;
      return;
    }
    // 0 is the broadcast id. No sender has it, and an answer to it would command every vehicle.
    if (frame.sysid === 0 || frame.compid === 0) {
      counters.bad++;
      return;
    }
    if (!this.#limit.take(address, nowMs)) {
      counters.dropped++;
      return;
    }
    const name = vehicleName(address, frame.sysid);
    this.#life.heard(name);
    const vehicle = this.#vehicles.get(name) ?? this.#addVehicle(frame, address, from, nowMs);
    if (vehicle === null) return;
    const order = vehicle.noteSeq(frame.compid, frame.seq, nowMs);
    if (order === "repeated") {
      counters.duplicate++;
      return;
    }
    if (order === "reordered") counters.reordered++;
    vehicle.lastHeardMs = nowMs;
    const isSilent = nowMs - vehicle.heartbeatMs > AUTOPILOT_SILENT_MS;
    // After a silence the autopilot may come back under another component id. Other components do not replace it.
    if (isSilent && isHeartbeatOfAutopilot(frame)) vehicle.compid = frame.compid;
    const isOld = order === "reordered" && !isReadLate(frame.msgid);
    if (frame.compid !== vehicle.compid) {
      // A component that still sends does not keep a vehicle alive whose autopilot is gone.
      if (!isSilent) this.#takeOfPart(frame, vehicle, isOld, nowMs);
    } else if (frame.msgid === common.CommandAck.MSG_ID) this.#acknowledge(frame, vehicle);
    else if (frame.msgid === common.TimeSync.MSG_ID) this.#noteRtt(frame, vehicle, nowMs);
    else if (!isOld && isRead(frame.msgid)) this.#report(frame, vehicle, nowMs);
  }

  #takeOfPart(frame: Frame, vehicle: VehicleState, isOld: boolean, nowMs: number): void {
    if (isHeartbeatOfCamera(frame)) vehicle.noteCamera(frame.compid, nowMs);
    else if (frame.msgid === common.CommandAck.MSG_ID) this.#acknowledge(frame, vehicle);
    else if (!isOld && isReadOfParts(frame.msgid)) this.#report(frame, vehicle, nowMs);
  }

  /** Adds a vehicle at the first heartbeat of an autopilot. Other senders (cameras, ground stations) are not vehicles. */
  #addVehicle(frame: Frame, address: string, from: RemoteInfo, nowMs: number): VehicleState | null {
    if (frame.msgid !== minimal.Heartbeat.MSG_ID || frame.sysid === OUR_SYSID) return null;
    if (!this.#vehicles.hasRoomFor(frame.sysid, nowMs)) {
      this.#life.counters.dropped++;
      return null;
    }
    if (!isHeartbeatOfAutopilot(frame)) return null;
    const source = { protocol: "mavlink2", address, systemId: String(frame.sysid), linkId: this.#settings.linkId };
    const vehicle = new VehicleState(source, frame.sysid, { address: from.address, port: from.port });
    vehicle.compid = frame.compid;
    this.#vehicles.add(vehicle);
    return vehicle;
  }

  #report(frame: Frame, vehicle: VehicleState, nowMs: number): void {
    const said = toReport(frame, vehicle);
    if (said === null) return;
    const isHeartbeat = frame.msgid === minimal.Heartbeat.MSG_ID;
    if (isHeartbeat) {
      // It may have lost our message requests while it was away.
      if (nowMs - vehicle.heartbeatMs > AUTOPILOT_SILENT_MS) vehicle.isSubscribed = false;
      vehicle.heartbeatMs = nowMs;
      this.#findConflicts(vehicle, nowMs);
      if (!vehicle.isSubscribed) this.#subscribe(vehicle);
    }
    const radio =
      vehicle.lossPct === null ? {} : { radio: { ...said.radio, loss_pct: vehicle.lossPct, rtt_ms: vehicle.rttMs } };
    this.#context.report({ ...said, ...radio, source: vehicle.source, atMs: nowMs });
    this.#orders.onTelemetry(vehicle);
  }

  #acknowledge(frame: Frame, vehicle: VehicleState): void {
    const ack = readMessage(frame, common.CommandAck);
    // Senders that do not fill in the extension fields leave 0.
    const isOurs =
      ack.targetSystem === 0 || (ack.targetSystem === OUR_SYSID && [0, OUR_COMPID].includes(ack.targetComponent));
    const isItsOwn = frame.compid === vehicle.compid || frame.compid === vehicle.recipientOf(ack.command);
    if (isOurs && isItsOwn) this.#orders.onAck(vehicle, ack.command, ack.result, ack.progress);
  }

  #noteRtt(frame: Frame, vehicle: VehicleState, nowMs: number): void {
    const sync = readMessage(frame, common.TimeSync);
    if (sync.tc1 === 0n) return;
    const rttMs = nowMs - Number(sync.ts1) / 1e6;
    if (rttMs < 0 || rttMs > 10_000) return;
    vehicle.rttMs = Math.round(rttMs * 10) / 10;
    // The link shows the round trip that was measured last.
    this.#life.rttMs = vehicle.rttMs;
    this.#context.report({ source: vehicle.source, atMs: nowMs, radio: { rtt_ms: vehicle.rttMs } });
  }

  /** Reports a conflict of system ids for both vehicles, and its end when one of them falls silent. */
  #findConflicts(vehicle: VehicleState, nowMs: number): void {
    const others = this.#vehicles
      .ofSystem(vehicle.sysid)
      .filter((other) => other !== vehicle && nowMs - other.heartbeatMs < CONFLICT_WITHIN_MS);
    if (others.length === 0 && vehicle.conflicts.length === 0) return;
    const conflicts = others.slice(0, CONFLICTS_MAX).map(({ source }) => source.address);
    if (others.length === vehicle.conflictCount && conflicts.join() === vehicle.conflicts.join()) return;
    const isBeginOrEnd = conflicts.length === 0 || vehicle.conflicts.length === 0;
    if (!isBeginOrEnd && nowMs - vehicle.conflictsReportedMs < CONFLICTS_AGAIN_MS) return;
    vehicle.conflicts = conflicts;
    vehicle.conflictCount = others.length;
    vehicle.conflictsReportedMs = nowMs;
    const more = others.length - conflicts.length;
    const message = more === 0 ? {} : { message: `${more} more addresses use its system id` };
    this.#context.report({ source: vehicle.source, atMs: nowMs, conflicts, ...message });
  }

  // ---- out

  #write(vehicle: VehicleState, message: MavLinkData): void {
    if (this.#isClosed) return;
    const bytes = this.#writer.write(message, this.#context.clock.nowMs());
    this.#socket.send(bytes, vehicle.peer.port, vehicle.peer.address, (fault) => {
      if (fault !== null) this.#life.counters.dropped++;
    });
    this.#life.counters.tx++;
  }

  #subscribe(vehicle: VehicleState): void {
    vehicle.isSubscribed = true;
    for (const [{ MSG_ID }, periodUs] of WANTED) {
      const params = [MSG_ID, periodUs, 0, 0, 0, 0, 0] as const;
      this.#write(
        vehicle,
        commandMessage(vehicle, { command: SET_MESSAGE_INTERVAL, params, frame: null, isDone: null }, 0),
      );
    }
  }

  #beat(): void {
    const nowMs = this.#context.clock.nowMs();
    this.#vehicles.forgetSilent(FORGOTTEN_AFTER_MS, nowMs);
    for (const vehicle of this.#vehicles.all()) {
      if (nowMs - vehicle.lastHeardMs >= ANSWERED_WITHIN_MS) continue;
      this.#write(vehicle, ourHeartbeat());
      this.#write(vehicle, timeSync(vehicle, nowMs));
    }
  }

  #tick(): void {
    this.#orders.onTick();
  }
}

function isHeartbeatOfAutopilot(frame: Frame): boolean {
  if (frame.msgid !== minimal.Heartbeat.MSG_ID) return false;
  const { autopilot, type } = readMessage(frame, minimal.Heartbeat);
  return isAutopilot(autopilot, type);
}

function isHeartbeatOfCamera(frame: Frame): boolean {
  return frame.msgid === minimal.Heartbeat.MSG_ID && isCamera(frame.compid, readMessage(frame, minimal.Heartbeat).type);
}

function commandMessage(
  vehicle: VehicleState,
  { command, params, frame }: CommandMessage,
  confirmation: number,
): MavLinkData {
  const message = frame === null ? new common.CommandLong() : new common.CommandInt();
  message.targetSystem = vehicle.sysid;
  message.targetComponent = vehicle.recipientOf(command);
  message.command = command;
  if (message instanceof common.CommandLong) message.confirmation = confirmation;
  else {
    message.frame = frame as number;
    message.current = 0;
    message.autocontinue = 0;
  }
  [
    message._param1,
    message._param2,
    message._param3,
    message._param4,
    message._param5,
    message._param6,
    message._param7,
  ] = params;
  return message;
}

function cancelMessage(vehicle: VehicleState, { command }: CommandMessage): MavLinkData {
  const message = new CommandCancel();
  return Object.assign(message, {
    command,
    targetSystem: vehicle.sysid,
    targetComponent: vehicle.recipientOf(command),
  });
}

/** MAV_TYPE_GCS, no autopilot. */
function ourHeartbeat(): MavLinkData {
  const message = new minimal.Heartbeat();
  message.type = 6;
  message.autopilot = AUTOPILOT_INVALID;
  message.baseMode = 0 as minimal.MavModeFlag;
  message.customMode = 0;
  message.systemStatus = 4;
  message.mavlinkVersion = 3;
  return message;
}

function timeSync(vehicle: VehicleState, nowMs: number): MavLinkData {
  const message = new common.TimeSync();
  message.tc1 = 0n;
  message.ts1 = BigInt(Math.round(nowMs)) * 1_000_000n;
  message.targetSystem = vehicle.sysid;
  message.targetComponent = vehicle.compid;
  return message;
}

async function bind(socket: Socket, address: string, port: number): Promise<void> {
  const failed = new Promise<never>((_, reject) => socket.once("error", reject));
  const bound = new Promise<void>((resolve) => socket.bind({ address, port, exclusive: true }, resolve));
  await Promise.race([bound, failed]);
  socket.removeAllListeners("error");
}

export const mavlinkAdapter: LinkAdapter = {
  protocol: "mavlink2",
  transports: ["udp"],
  defaults: { transport: "udp", role: "listen", port: 14_550 },
  verbs: MAVLINK_VERBS,
  refuse(settings) {
    if (settings.role !== "listen") return "MAVLink over UDP only listens: the role is listen";
    return settings.port === null ? "MAVLink over UDP needs a port" : null;
  },
  async open(settings, context) {
    const socket = createSocket({ type: settings.address.includes(":") ? "udp6" : "udp4", recvBufferSize: 4 << 20 });
    try {
      await bind(socket, settings.address, settings.port ?? 0);
    } catch (fault) {
      socket.close();
      if (faultCode(fault) === "port_in_use")
        throw new PortInUseError(`UDP ${settings.address}:${settings.port} is taken by another program`);
      throw fault;
    }
    const link = new MavlinkLink(settings, context, socket);
    link.start();
    return link;
  },
};
