/** Any measurements that the interface allows, in any order of sensors: the kernel keeps its invariants and finite numbers. */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { MEAS_KIND_BEARING, MEAS_KIND_POSITION, MEAS_KIND_SPHERICAL } from "../../assembly/layout.ts";
import type { Modality } from "../../src/domain/modality.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { CONFIG, fuse, HERE, profile, START_US } from "../support/kernel.ts";

const RAD = Math.PI / 180;
const NONE = Number.NaN;
const SENSORS: readonly Modality[] = ["radar", "lidar", "eo", "rf", "acoustic", "remote_id", "adsb"];
const SLOTS = 4;

let module: KernelBuild;
beforeAll(async () => {
  module = await compileKernel();
});

/** The bounds of src/domain/observation.ts, ordinary values, and what lies between. */
const edges = <T>(...values: T[]) => fc.constantFrom(...values);
const azimuth = fc.oneof(edges(0, 45, 90, 180, 359.999, 360), fc.double({ min: 0, max: 360, noNaN: true }));
const elevation = fc.oneof(edges(-90, 0, 89.999, 90), fc.double({ min: -90, max: 90, noNaN: true }));
const range = fc.oneof(edges(0, 1e-3, 1, 5, 20, 50, 3000, 1e6), fc.double({ min: 0, max: 1e6, noNaN: true }));
const position = fc.tuple(edges(0, 1, 1000, 1.2e7), edges(0, -1000, 1e7), edges(0, 100, 1e5, -1.2e7));
/** Where a target may be: measurements of one spot lie in each other's gates. */
const spot = fc.record({ azimuth, elevation, range, position });
const step = fc.record({
  afterUs: edges(0, 1, 1000, 500_000, 1_000_000, 30_000_000),
  slot: fc.nat(SLOTS - 1),
  complete: fc.boolean(),
  isSwept: fc.boolean(),
  edit: edges("merge", "split", null, null, null, null),
  seen: fc.array(
    fc.record({
      spot: fc.nat(2),
      off: fc.tuple(edges(0, 0, 0.3, -0.4), edges(0, 0.5), edges(0, -2)),
      hasHeight: fc.boolean(),
      velocity: fc.option(fc.tuple(edges(0, 5, 5000), edges(0, -5000), edges(NONE, 0, 5000)), { nil: null }),
      /** Sigmas: of the profile, or the widest that a report may claim. */
      widest: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
      claim: fc.nat(2),
    }),
    { maxLength: 6 },
  ),
});
type Seen = Parameters<Parameters<typeof step.map>[0]>[0]["seen"][number];
type Spot = Parameters<Parameters<typeof spot.map>[0]>[0];

function rowOf(modality: Modality, spots: readonly Spot[], seen: Seen): number[] {
  const at = spots[seen.spot]!;
  const [x, y, z] = seen.off;
  const sigma = (k: 0 | 1 | 2, usual: number, widest: number) => (seen.widest[k] ? widest : usual);
  const rest = [0, seen.claim, 0, NONE, NONE];
  if (modality === "remote_id" || modality === "adsb") {
    const [east, north, up] = at.position;
    const velocity = seen.velocity ?? [NONE, NONE, NONE];
    const place = [east! + x!, north! + y!, seen.hasHeight ? up! + z! : NONE];
    return [
      MEAS_KIND_POSITION,
      ...place,
      ...velocity,
      ...[sigma(0, 3, 1e6), sigma(1, 3, 1e6), sigma(2, 5, 1e6), 0.3],
      ...rest,
    ];
  }
  const azRad = (at.azimuth + x!) * RAD;
  const elRad = seen.hasHeight ? Math.max(-90, Math.min(90, at.elevation + y!)) * RAD : NONE;
  const angles = [sigma(0, 0.05 * RAD, 2 * Math.PI), sigma(1, 0.05 * RAD, 2 * Math.PI)];
  if (modality !== "radar" && modality !== "lidar")
    return [MEAS_KIND_BEARING, azRad, elRad, NONE, NONE, NONE, NONE, ...angles, NONE, NONE, ...rest];
  const rate = seen.velocity === null ? NONE : seen.velocity[0]!;
  return [
    MEAS_KIND_SPHERICAL,
    ...[azRad, elRad, Math.max(0, at.range + z!), rate, NONE, NONE],
    ...[...angles, sigma(2, 0.2, 1e6), 0.4],
    ...rest,
  ];
}

function expectFinite(kernel: Kernel, atUs: number): void {
  const table = kernel.read(atUs);
  for (let row = 0; row < table.count; row++)
    for (const column of [table.existence, table.eastM, table.northM, table.upM, table.velEastMps, table.velNorthMps])
      expect(column[row]).toSatisfy(Number.isFinite);
  // NaN has many bit patterns, so a state with one that was computed would not be the same on every machine. The only NaN
  // of these scenes is the radar cross-section that none of them measures.
  const state = new Float64Array(kernel.save().buffer);
  expect(state.filter(Number.isNaN).length).toBe(table.count);
}

test("[FU-19] whatever valid measurements arrive, every number of every track stays finite", () => {
  const scene = fc.record({
    modalities: fc.array(fc.constantFrom(...SENSORS), { minLength: SLOTS, maxLength: SLOTS }),
    places: fc.array(fc.tuple(edges(0, 10, 1e6), edges(0, -5, 1e4), edges(0, 1e4)), {
      minLength: SLOTS,
      maxLength: SLOTS,
    }),
    spots: fc.array(spot, { minLength: 3, maxLength: 3 }),
    steps: fc.array(step, { minLength: 1, maxLength: 40, size: "max" }),
  });
  fc.assert(
    fc.property(scene, ({ modalities, places, spots, steps }) => {
      const kernel = new Kernel(module, CONFIG, 100);
      for (const [slot, modality] of modalities.entries())
        kernel.setSensor(slot, profile(modality, { max_range_m: 100_000 }));
      let atUs = START_US;
      for (const [i, { afterUs, slot, complete, isSwept, edit, seen }] of steps.entries()) {
        atUs += afterUs;
        const modality = modalities[slot]!;
        const [eastM, northM, upM] = places[slot]!;
        const rows = seen.map((one) => rowOf(modality, spots, one));
        const facts = { sourceId: `${slot}`, scanId: `${atUs}`, modality, receivedAtUs: atUs, pose: null };
        const measurements = Float64Array.from(rows.flat());
        const scan = { ...facts, measuredAtUs: atUs, complete, count: rows.length, measurements, observationIds: [] };
        fuse(kernel, slot, scan, { ...HERE, eastM: eastM!, northM: northM!, upM: upM! });
        if (isSwept) kernel.sweep(atUs);
        const { count, key } = kernel.read(atUs);
        if (edit === "merge" && count > 0) kernel.mergeTracks(key[0]!, key[count - 1]!, atUs);
        if (edit === "split" && count > 0) kernel.splitTrack(key[0]!, 1 + i, atUs);
        expectFinite(kernel, atUs);
      }
    }),
    { numRuns: 150 },
  );
});
