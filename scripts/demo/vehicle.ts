/**
 * A simulated vehicle that speaks MAVLink 2 over UDP: a copter with simple kinematics that arms, takes off, goes, holds,
 * returns and lands, and answers wrongly where a test asks for it. Hundreds of them run in one process.
 */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { common, type MavLinkData, minimal } from "node-mavlink";
import { type Frame, FrameWriter, readFrames, readMessage, signingKey } from "../../src/links/mavlink/frames.ts";

interface VehicleOptions {
  readonly target: { readonly host: string; readonly port: number };
  readonly systemId: number;
  readonly lat?: number;
  readonly lon?: number;
  readonly altMslM?: number;
  /** Height above the ellipsoid minus height above mean sea level, m; null: it does not report the former. */
  readonly undulationM?: number | null;
  readonly rateHz?: number;
  readonly speedMps?: number;
  readonly secret?: string | null;
  readonly serial?: string | null;
  readonly batteryPct?: number;
  /** MAV_TYPE and MAV_AUTOPILOT; ArduPilot quadrotor by default. */
  readonly mavType?: number;
  readonly autopilot?: number;
}

interface Received {
  readonly command: number;
  readonly params: readonly number[];
  readonly frame: number | null;
  readonly confirmation: number | null;
  readonly targetSystem: number;
}

/** How it answers commands: "obey" as it should, or with one of these faults. */
type Manner = "obey" | "deny" | "silent" | "busy" | "slow";

const METRES_PER_DEGREE = 111_320;
const AUTOPILOT_PX4 = 12;
const FRAME_RELATIVE = 3;
const ACCEPTED = 0;
const TEMPORARILY_REJECTED = 1;
const DENIED = 2;
const IN_PROGRESS = 5;

export class Vehicle {
  readonly received: Received[] = [];
  readonly #options: Required<Omit<VehicleOptions, "secret" | "serial" | "undulationM">> & VehicleOptions;
  readonly #writer: FrameWriter;
  #socket: Socket;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #tick = 0;
  lat: number;
  lon: number;
  altRelM = 0;
  armed = false;
  landed = 1;
  mode = 5;
  manner: Manner = "obey";
  batteryPct: number;
  #goal: { lat: number; lon: number; altRelM: number } | null = null;
  #vel: [number, number, number] = [0, 0, 0];

  constructor(options: VehicleOptions, socket: Socket) {
    this.#options = {
      lat: 50.03,
      lon: 8.56,
      altMslM: 100,
      rateHz: 10,
      speedMps: 15,
      batteryPct: 80,
      mavType: 2,
      autopilot: 3,
      ...options,
    };
    this.#socket = socket;
    this.lat = this.#options.lat;
    this.lon = this.#options.lon;
    this.batteryPct = this.#options.batteryPct;
    const key = options.secret == null ? null : signingKey(options.secret);
    this.#writer = new FrameWriter(options.systemId, 1, key);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  start(): this {
    this.#socket.on("message", (datagram) => readFrames(datagram, (frame) => this.#take(frame)));
    this.#timer = setInterval(() => this.step(), 1000 / this.#options.rateHz);
    this.step();
    return this;
  }

  /** Stops sending, as if it had crashed. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#isStopped = true;
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  /** Sends telemetry: the position each time, the rest once a second. */
  step(): void {
    const { rateHz } = this.#options;
    this.#move(1 / rateHz);
    if (this.#tick++ % rateHz === 0) this.#sendSlow();
    this.#sendPosition();
  }

  send(message: MavLinkData): void {
    // An answer that was on its way when it stopped.
    if (this.#isStopped) return;
    const { host, port } = this.#options.target;
    this.#socket.send(this.#writer.write(message, Date.now()), port, host);
  }

  #sendPosition(): void {
    const { altMslM } = this.#options;
    const m = new common.GlobalPositionInt();
    m.timeBootMs = this.#tick * 100;
    m.lat = Math.round(this.lat * 1e7);
    m.lon = Math.round(this.lon * 1e7);
    m.alt = Math.round((altMslM + this.altRelM) * 1000);
    m.relativeAlt = Math.round(this.altRelM * 1000);
    m.vx = Math.round(this.#vel[1] * 100);
    m.vy = Math.round(this.#vel[0] * 100);
    m.vz = Math.round(-this.#vel[2] * 100);
    m.hdg = 9000;
    this.send(m);
    const attitude = new common.Attitude();
    attitude.timeBootMs = this.#tick * 100;
    attitude.yaw = Math.PI / 2;
    this.send(attitude);
  }

  #sendSlow(): void {
    const { undulationM = 47, altMslM, serial = null, mavType, autopilot } = this.#options;
    const beat = new minimal.Heartbeat();
    beat.type = mavType;
    beat.autopilot = autopilot;
    beat.baseMode = ((this.armed ? 128 : 0) | 1) as minimal.MavModeFlag;
    beat.customMode = this.mode;
    beat.systemStatus = this.armed ? 4 : 3;
    beat.mavlinkVersion = 3;
    this.send(beat);
    const gps = new common.GpsRawInt();
    gps.fixType = 3;
    gps.lat = Math.round(this.lat * 1e7);
    gps.lon = Math.round(this.lon * 1e7);
    gps.alt = Math.round((altMslM + this.altRelM) * 1000);
    gps.altEllipsoid = undulationM === null ? 0 : Math.round((altMslM + this.altRelM + undulationM) * 1000);
    gps.eph = 90;
    gps.epv = 120;
    gps.satellitesVisible = 14;
    gps.timeUsec = 0n;
    this.send(gps);
    const status = new common.SysStatus();
    status.onboardControlSensorsPresent = 0x1000_002f as common.MavSysStatusSensor;
    status.onboardControlSensorsEnabled = 0x1000_002f as common.MavSysStatusSensor;
    status.onboardControlSensorsHealth = 0x1000_002f as common.MavSysStatusSensor;
    status.voltageBattery = 15_800;
    status.currentBattery = 1200;
    status.batteryRemaining = this.batteryPct;
    this.send(status);
    const extended = new common.ExtendedSysState();
    extended.landedState = this.landed;
    this.send(extended);
    if (serial === null) return;
    const id = new common.OpenDroneIdBasicId();
    id.idType = 1;
    id.uaType = 2;
    id.uasId = [...Buffer.from(serial.padEnd(20, "\0"), "latin1")];
    id.idOrMac = new Array<number>(20).fill(0);
    this.send(id);
  }

  #move(seconds: number): void {
    this.#vel = [0, 0, 0];
    if (this.#goal === null) return;
    const { lat, lon, altRelM } = this.#goal;
    const scale = METRES_PER_DEGREE * Math.cos((this.lat * Math.PI) / 180);
    const east = (lon - this.lon) * scale;
    const north = (lat - this.lat) * METRES_PER_DEGREE;
    const up = altRelM - this.altRelM;
    const way = Math.hypot(east, north, up);
    if (way < 0.05) {
      this.#goal = null;
      if (this.altRelM < 0.1) this.landed = 1;
      return;
    }
    const step = Math.min(way, this.#options.speedMps * seconds) / way;
    this.lon += (east * step) / scale;
    this.lat += (north * step) / METRES_PER_DEGREE;
    this.altRelM += up * step;
    this.#vel = [east, north, up].map((v) => (v * step) / seconds) as [number, number, number];
    this.landed = this.altRelM > 0.1 ? 2 : 1;
    if (this.landed === 1 && up < 0) this.armed = false;
  }

  #take(frame: Frame): void {
    if (frame.msgid === common.CommandInt.MSG_ID) {
      const m = readMessage(frame, common.CommandInt);
      const params = [m._param1, m._param2, m._param3, m._param4, m._param5, m._param6, m._param7];
      this.#obey({ command: m.command, params, frame: m.frame, confirmation: null, targetSystem: m.targetSystem });
    } else if (frame.msgid === common.CommandLong.MSG_ID) {
      const m = readMessage(frame, common.CommandLong);
      const params = [m._param1, m._param2, m._param3, m._param4, m._param5, m._param6, m._param7];
      this.#obey({
        command: m.command,
        params,
        frame: null,
        confirmation: m.confirmation,
        targetSystem: m.targetSystem,
      });
    }
  }

  #obey(command: Received): void {
    if (command.targetSystem !== this.#options.systemId) return;
    this.received.push(command);
    // Requests for message rates come from the service by itself; tests look at the other commands only.
    if (command.command === 511) this.#acknowledge(511, ACCEPTED, 0);
    else if (this.manner === "deny") this.#acknowledge(command.command, DENIED, 0);
    else if (this.manner === "busy") {
      this.manner = "obey";
      this.#acknowledge(command.command, TEMPORARILY_REJECTED, 0);
    } else if (this.manner === "slow") {
      for (const percent of [10, 50, 90]) this.#acknowledge(command.command, IN_PROGRESS, percent);
      this.manner = "obey";
      setTimeout(() => this.#do(command), 300).unref();
    } else if (this.manner === "obey") this.#do(command);
  }

  #do({ command, params, frame }: Received): void {
    switch (command) {
      case 400:
        this.armed = params[0] === 1;
        break;
      case 22:
        this.#goal = { lat: this.lat, lon: this.lon, altRelM: this.#relativeOf(params[6]!, FRAME_RELATIVE) };
        this.landed = 3;
        break;
      case 21:
      case 20:
        this.#goal = { lat: this.lat, lon: this.lon, altRelM: 0 };
        break;
      case 192: {
        this.#goal = { lat: params[4]! / 1e7, lon: params[5]! / 1e7, altRelM: this.#relativeOf(params[6]!, frame) };
        break;
      }
      case 176:
        this.mode = params[1]!;
        this.#goal = null;
        break;
      default:
    }
    this.#acknowledge(command, ACCEPTED, 0);
    // A heartbeat at once, so that tests need not wait a second for the new mode.
    if (this.#timer !== null) this.#sendSlow();
  }

  /** PX4 takes every height as one above mean sea level, whatever the frame of the command. */
  #relativeOf(z: number, frame: number | null): number {
    if (Number.isNaN(z)) return this.altRelM;
    return frame === 0 || this.#options.autopilot === AUTOPILOT_PX4 ? z - this.#options.altMslM : z;
  }

  #acknowledge(command: number, result: number, progress: number): void {
    const ack = new common.CommandAck();
    ack.command = command;
    ack.result = result;
    ack.progress = progress;
    ack.targetSystem = 255;
    ack.targetComponent = 190;
    this.send(ack);
  }
}

export async function startVehicle(options: VehicleOptions & { readonly localPort?: number }): Promise<Vehicle> {
  const socket = createSocket("udp4");
  const bound = once(socket, "listening");
  socket.bind(options.localPort ?? 0, "127.0.0.1");
  await bound;
  return new Vehicle(options, socket).start();
}
