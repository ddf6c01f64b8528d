/** Many simulated vehicles in one child process, controlled by telemetry.ts over the process channel. */
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";

const vehicles: Vehicle[] = [];

async function start(port: number, count: number, rateHz: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const place = { lat: 50 + Math.floor(i / 25) / 100, lon: 8 + (i % 25) / 100 };
    // A system id is one byte: two vehicles of one id would be in conflict, so hosts differ instead.
    const target = { host: "127.0.0.1", port };
    vehicles.push(await startVehicle({ target, systemId: 1 + (i % 250), rateHz, ...place }));
  }
}

process.on("message", async (message: { do: "start" | "stop"; port: number; count: number; rateHz: number }) => {
  if (message.do === "start") await start(message.port, message.count, message.rateHz);
  else for (const vehicle of vehicles.splice(0)) await vehicle.stop();
  process.send!({ done: message.do });
});
