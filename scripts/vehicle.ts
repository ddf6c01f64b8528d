/** `npm run vehicle`: a simulated vehicle that speaks MAVLink 2 to a running service, to try adoption and commands with. */
import { parseArgs } from "node:util";
import { startVehicle } from "./demo/vehicle.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "127.0.0.1:14550" },
    id: { type: "string", default: "1" },
    lat: { type: "string", default: "51.4325" },
    lon: { type: "string", default: "-1.9875" },
    serial: { type: "string" },
  },
});
const [host = "", port = ""] = values.target.split(/:(?=\d+$)/);
const systemId = Number(values.id);
const [lat, lon] = [Number(values.lat), Number(values.lon)];
const isOnEarth = Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
if (!(Number(port) > 0) || !(systemId >= 1 && systemId <= 250) || !isOnEarth) {
  console.error("usage: npm run vehicle -- [--target HOST:PORT] [--id 1..250] [--lat DEG] [--lon DEG] [--serial TEXT]");
  process.exit(2);
}
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
