/**
 * The objects of the demo: six drones (four of them a swarm), a crewed aircraft and birds, each on a closed smooth curve, so
 * that the demo can run for ever. Knows no sensor.
 */
import type { Geodetic } from "../domain/geodesy.ts";

export const SITE: Geodetic = { lat: 51.4325, lon: -1.9875, alt_hae_m: 140 };

export interface Contact {
  readonly name: string;
  readonly kind: "drone" | "aircraft" | "bird";
  /** Probability of detection by a radar in range, per scan. */
  readonly radarPd: number;
  readonly rcsDbsm: number;
  /** The Remote ID serial or ICAO address that it transmits; null: none. */
  readonly claim: string | null;
  /** Carrier frequency of its radio link; null: it has none. */
  readonly radioHz: number | null;
  /** East, north, up in metres from the site, `tS` seconds into the demo. */
  at(tS: number): readonly [number, number, number];
}

interface Curve {
  readonly eastM: number;
  readonly northM: number;
  readonly upM: number;
  readonly spanEastM: number;
  readonly spanNorthM: number;
  readonly spanUpM: number;
  /** Seconds for one round. */
  readonly roundS: number;
  readonly phase: number;
  /** 1 is an oval, 2 a figure of eight. */
  readonly lobes: number;
}

function along(curve: Curve, tS: number): [number, number, number] {
  const angle = (2 * Math.PI * tS) / curve.roundS + curve.phase;
  return [
    curve.eastM + curve.spanEastM * Math.cos(angle),
    curve.northM + curve.spanNorthM * Math.sin(curve.lobes * angle),
    curve.upM + curve.spanUpM * Math.sin(3 * angle),
  ];
}

const SURVEY: Curve = {
  eastM: 900,
  northM: 700,
  upM: 80,
  spanEastM: 420,
  spanNorthM: 200,
  spanUpM: 3,
  roundS: 190,
  phase: 0,
  lobes: 1,
};
const INTRUDER: Curve = {
  eastM: -700,
  northM: 1100,
  upM: 120,
  spanEastM: 800,
  spanNorthM: 500,
  spanUpM: 30,
  roundS: 420,
  phase: 1,
  lobes: 2,
};
const SWARM: Curve = {
  eastM: 300,
  northM: -1500,
  upM: 95,
  spanEastM: 1200,
  spanNorthM: 650,
  spanUpM: 15,
  roundS: 520,
  phase: 2,
  lobes: 1,
};
const AIRCRAFT: Curve = {
  eastM: 500,
  northM: 2500,
  upM: 900,
  spanEastM: 4200,
  spanNorthM: 1800,
  spanUpM: 20,
  roundS: 330,
  phase: 3,
  lobes: 1,
};
/** The swarm's members circle its centre at this distance. */
const SWARM_RADIUS_M = 55;
const SWARM_TURN_S = 160;

function swarmMember(index: number): Contact {
  return {
    name: `swarm ${index + 1}`,
    kind: "drone",
    radarPd: 0.9,
    rcsDbsm: -18,
    claim: null,
    radioHz: index === 0 ? 5_785_000_000 : null,
    at: (tS) => {
      const [east, north, up] = along(SWARM, tS);
      const angle = 2 * Math.PI * (tS / SWARM_TURN_S + index / 4);
      return [east + SWARM_RADIUS_M * Math.cos(angle), north + SWARM_RADIUS_M * Math.sin(angle), up + 8 * index];
    },
  };
}

function bird(index: number): Contact {
  const curve: Curve = {
    eastM: -600 + 500 * index,
    northM: -300 + 260 * index,
    upM: 35 + 10 * index,
    spanEastM: 150 + 40 * index,
    spanNorthM: 110,
    spanUpM: 9,
    roundS: 85 + 13 * index,
    phase: index,
    lobes: 2,
  };
  return {
    name: `bird ${index + 1}`,
    kind: "bird",
    radarPd: 0.55,
    rcsDbsm: -28,
    claim: null,
    radioHz: null,
    at: (tS) => along(curve, tS),
  };
}

export const CONTACTS: readonly Contact[] = [
  {
    name: "survey drone",
    kind: "drone",
    radarPd: 0.92,
    rcsDbsm: -15,
    claim: "1581F4DEMO00000001",
    radioHz: 2_437_000_000,
    at: (tS) => along(SURVEY, tS),
  },
  {
    name: "intruder",
    kind: "drone",
    radarPd: 0.9,
    rcsDbsm: -17,
    claim: null,
    radioHz: 5_825_000_000,
    at: (tS) => along(INTRUDER, tS),
  },
  ...[0, 1, 2, 3].map(swarmMember),
  {
    name: "light aircraft",
    kind: "aircraft",
    radarPd: 0.97,
    rcsDbsm: 4,
    claim: "43c6e1",
    radioHz: null,
    at: (tS) => along(AIRCRAFT, tS),
  },
  ...[0, 1, 2].map(bird),
];

/** By central difference, which is accurate enough on smooth curves; m/s. */
export function velocityAt(contact: Contact, tS: number): readonly [number, number, number] {
  const before = contact.at(tS - 0.05);
  const after = contact.at(tS + 0.05);
  return [(after[0] - before[0]) * 10, (after[1] - before[1]) * 10, (after[2] - before[2]) * 10];
}
