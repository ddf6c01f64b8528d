/** `npm run vehicle`: simulates a vehicle that speaks MAVLink 2 to a running service, to try registration and commands. */
import { startVehicle } from "./demo/vehicle.ts";
import { readArguments, refuseUsage } from "./usage.ts";

const USAGE = `npm run vehicle [-- --target HOST:PORT] [--id N] [--lat DEG] [--lon DEG] [--serial TEXT]

A simulated multirotor that sends MAVLink 2 over UDP and obeys commands, until Ctrl-C.

  --target HOST:PORT  where the service receives vehicles (127.0.0.1:14550)
  --id N              MAVLink system id, 1 to 250 (1)
  --lat DEG           where it starts (51.4325)
  --lon DEG           (-1.9875)
  --serial TEXT       Remote ID serial that it broadcasts (none)`;

const { values } = readArguments(USAGE, {
  target: { type: "string", default: "127.0.0.1:14550" },
  id: { type: "string", default: "1" },
  lat: { type: "string", default: "51.4325" },
  lon: { type: "string", default: "-1.9875" },
  serial: { type: "string" },
});
const [host = "", port = ""] = values.target.split(/:(?=\d+$)/);
const systemId = Number(values.id);
const [lat, lon] = [Number(values.lat), Number(values.lon)];
if (!(Number(port) > 0)) refuseUsage(`--target must be HOST:PORT, not "${values.target}"`, USAGE);
if (!Number.isInteger(systemId) || systemId < 1 || systemId > 250)
  refuseUsage(`--id must be a whole number from 1 to 250, not "${values.id}"`, USAGE);
if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180))
  refuseUsage(`--lat ${values.lat} and --lon ${values.lon} are not a point on the earth`, USAGE);
const vehicle = await startVehicle({
  target: { host, port: Number(port) },
  systemId,
  lat,
  lon,
  serial: values.serial ?? null,
});
console.log(`system ${systemId} sends from 127.0.0.1:${vehicle.port} to ${values.target}; Ctrl-C ends it`);
const tell = setInterval(() => {
  const { altRelM, armed } = vehicle;
  const last = vehicle.received.at(-1);
  const heard = last === undefined ? "no command yet" : `last command MAV_CMD ${last.command}`;
  console.log(
    `${vehicle.lat.toFixed(5)} ${vehicle.lon.toFixed(5)} ${altRelM.toFixed(1)} m ${armed ? "armed" : "disarmed"}, ${heard}`,
  );
}, 5000);
process.once("SIGINT", () => {
  clearInterval(tell);
  void vehicle.stop();
});
