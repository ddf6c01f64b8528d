/** The search over cells, up to cell numbers that no i32 holds. In a process of its own, which can be killed: an endless loop cannot. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SUPPORT = new URL("../support/kernel.ts", import.meta.url).href;
const run = promisify(execFile);

/** A script: for each distance and direction one radar there and one at the origin, a target near each; prints the track counts. */
const scene = (farM: readonly string[]) => `
  const { fuse, HERE, openKernel, profile, radarScan, START_US } = await import(${JSON.stringify(SUPPORT)});
  const tracks = [];
  for (const farM of [${farM.join(", ")}])
    for (const [east, north, up] of [[1, 0, 0], [0, -1, 0], [-1, 1, 0], [1, 1, 1], [0, 0, 1]]) {
      const kernel = await openKernel();
      kernel.setSensor(0, profile("radar"));
      kernel.setSensor(1, profile("radar"));
      const there = { ...HERE, eastM: farM * east, northM: farM * north, upM: farM * up };
      for (let s = 0; s < 6; s++) fuse(kernel, 0, radarScan(s, [[45, 5, 1000 + 10 * s, 10]]), there);
      fuse(kernel, 1, radarScan(6, [[45, 5, 1000, 10]]), HERE);
      tracks.push(kernel.read(START_US + 6e6).count);
    }
  console.log(JSON.stringify(tracks));`;

test("[FU-30] a scan of a sensor with an impossible position ends like any other", async () => {
  // An i32 holds cell numbers up to 64 m * 2^31 = 1.4e11 m.
  const far = ["1e6", "6e10", "6.4e10", "1.3e11", "1.4e11", "1e12", "1e15", "1e300"];
  const args = ["--no-warnings", "--input-type=module", "-e", scene(far)];
  const { stdout } = await run(process.execPath, args, { timeout: 8000, killSignal: "SIGKILL" });
  const tracks = JSON.parse(stdout) as number[];
  expect(tracks).toHaveLength(far.length * 5);
  // Up to 1.3e11 m an f64 still resolves metres, so each target is one track.
  expect(tracks.slice(0, 20)).toEqual(tracks.slice(0, 20).map(() => 2));
});
