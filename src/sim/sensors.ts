/**
 * The demo's sensors: two radars, two RF direction finders, a Remote ID and an ADS-B receiver. Simulates their scans of the
 * contacts in the wire form of POST /api/signals. The same start time always gives the same scans.
 */
import { EnuFrame } from "../domain/geodesy.ts";
import { CONTACTS, type Contact, SITE, velocityAt } from "./contacts.ts";
import { type Noise, noiseOf } from "./noise.ts";

export interface WireScan {
  readonly source_id: string;
  readonly modality: "radar" | "rf" | "remote_id" | "adsb";
  /** Milliseconds since the epoch. */
  readonly measured_at: number;
  readonly scan_id: string;
  readonly sensor_pose: { readonly lat: number; readonly lon: number; readonly alt_hae_m: number };
  readonly detections: readonly object[];
}

interface Declared {
  /** Standard deviations. */
  readonly sigma: Readonly<Record<string, number>>;
  readonly probDetection: number;
  readonly clutterPerScan: number;
}

interface Sensor {
  readonly id: string;
  readonly modality: WireScan["modality"];
  readonly periodMs: number;
  readonly offsetMs: number;
  readonly frame: EnuFrame;
  readonly maxRangeM: number;
  /** Its profile as a scenario file declares it. */
  readonly declared: Declared;
  look(sensor: Sensor, tS: number, noise: Noise): object[];
}

const SEED = 20_260;
const DEG = 180 / Math.PI;
const site = new EnuFrame(SITE);
/** Standard deviations of the generic sensor profiles, which the service assumes for an unregistered source. */
const RADAR_SIGMA = { azDeg: 0.3, elDeg: 0.4, rangeM: 3, rangeRateMps: 0.4 };
const RF_SIGMA_AZ_DEG = 1;
const CLUTTER_PER_SCAN = 2;
const RADIO_PD = 0.9;
/** Errors of a drone's own satellite receiver. */
const CLAIM_SIGMA_M = { axis: 2, up: 3 };

const RADAR: Declared = {
  sigma: {
    az_deg: RADAR_SIGMA.azDeg,
    el_deg: RADAR_SIGMA.elDeg,
    range_m: RADAR_SIGMA.rangeM,
    range_rate_mps: RADAR_SIGMA.rangeRateMps,
  },
  probDetection: 0.9,
  clutterPerScan: CLUTTER_PER_SCAN,
};
const RADIO: Declared = { sigma: { az_deg: RF_SIGMA_AZ_DEG }, probDetection: RADIO_PD, clutterPerScan: 0 };
const CLAIM: Declared = {
  sigma: { horizontal_m: CLAIM_SIGMA_M.axis, vertical_m: CLAIM_SIGMA_M.up, speed_mps: 0.5 },
  probDetection: 1,
  clutterPerScan: 0,
};

interface Sight {
  readonly azDeg: number;
  readonly elDeg: number;
  readonly rangeM: number;
  readonly rangeRateMps: number;
}

function bearing(azDeg: number): number {
  return ((azDeg % 360) + 360) % 360;
}

function sightOf(sensor: Sensor, contact: Contact, tS: number): Sight {
  const [lat, lon, alt] = site.toGeodetic(...contact.at(tS));
  const [east, north, up] = sensor.frame.toEnu(lat, lon, alt);
  const rangeM = Math.hypot(east, north, up);
  // Within a few kilometres the axes of site and sensor differ by less than 0.1 degrees, so velocities need no rotation.
  const [ve, vn, vu] = velocityAt(contact, tS);
  return {
    azDeg: Math.atan2(east, north) * DEG,
    elDeg: Math.asin(up / rangeM) * DEG,
    rangeM,
    rangeRateMps: (ve * east + vn * north + vu * up) / rangeM,
  };
}

function falsePlot(sensor: Sensor, noise: Noise): object {
  return {
    az_deg: 360 * noise.uniform(),
    el_deg: 12 * noise.uniform(),
    range_m: 150 + (sensor.maxRangeM - 150) * Math.sqrt(noise.uniform()),
    range_rate_mps: 50 * noise.uniform() - 25,
    rcs_dbsm: -25 + noise.normal(4),
  };
}

function lookRadar(sensor: Sensor, tS: number, noise: Noise): object[] {
  const plots: object[] = [];
  for (const contact of CONTACTS) {
    const sight = sightOf(sensor, contact, tS);
    if (sight.rangeM > sensor.maxRangeM || noise.uniform() > contact.radarPd) continue;
    plots.push({
      az_deg: bearing(sight.azDeg + noise.normal(RADAR_SIGMA.azDeg)),
      el_deg: sight.elDeg + noise.normal(RADAR_SIGMA.elDeg),
      range_m: sight.rangeM + noise.normal(RADAR_SIGMA.rangeM),
      range_rate_mps: sight.rangeRateMps + noise.normal(RADAR_SIGMA.rangeRateMps),
      rcs_dbsm: contact.rcsDbsm + noise.normal(2),
    });
  }
  for (let i = noise.count(CLUTTER_PER_SCAN); i > 0; i--) plots.push(falsePlot(sensor, noise));
  return plots;
}

function lookRadio(sensor: Sensor, tS: number, noise: Noise): object[] {
  return CONTACTS.flatMap((contact) => {
    const sight = sightOf(sensor, contact, tS);
    if (contact.radioHz === null || sight.rangeM > sensor.maxRangeM || noise.uniform() > RADIO_PD) return [];
    return [
      {
        az_deg: bearing(sight.azDeg + noise.normal(RF_SIGMA_AZ_DEG)),
        center_hz: contact.radioHz,
        bandwidth_hz: 20_000_000,
        rssi_dbm: -45 - 20 * Math.log10(sight.rangeM / 100) + noise.normal(1.5),
        emitter_role: "video",
      },
    ];
  });
}

/** The state that a contact claims, with the error of its own satellite receiver. */
function claimedState(contact: Contact, tS: number, noise: Noise) {
  const [east, north, up] = contact.at(tS);
  const [ve, vn, vu] = velocityAt(contact, tS);
  const [lat, lon, alt] = site.toGeodetic(
    east + noise.normal(CLAIM_SIGMA_M.axis),
    north + noise.normal(CLAIM_SIGMA_M.axis),
    up + noise.normal(CLAIM_SIGMA_M.up),
  );
  const round = (value: number, digits: number) => Number(value.toFixed(digits));
  return {
    lat: round(lat, 7),
    lon: round(lon, 7),
    alt_hae_m: round(alt, 1),
    speedMps: round(Math.hypot(ve, vn), 2),
    climbMps: round(vu, 2),
    courseDeg: round(bearing(Math.atan2(ve, vn) * DEG), 1),
  };
}

function lookRemoteId(sensor: Sensor, tS: number, noise: Noise): object[] {
  return CONTACTS.flatMap((contact) => {
    if (contact.kind !== "drone" || contact.claim === null || sightOf(sensor, contact, tS).rangeM > sensor.maxRangeM)
      return [];
    const { speedMps, climbMps, courseDeg, ...position } = claimedState(contact, tS, noise);
    return [
      {
        uas_id: contact.claim,
        id_type: "serial",
        ua_type: "helicopter_or_multirotor",
        status: "airborne",
        ...position,
        speed_mps: speedMps,
        vspeed_mps: climbMps,
        track_deg: courseDeg,
        transport: "ble5",
      },
    ];
  });
}

function lookAdsb(sensor: Sensor, tS: number, noise: Noise): object[] {
  return CONTACTS.flatMap((contact) => {
    if (contact.kind !== "aircraft" || contact.claim === null || sightOf(sensor, contact, tS).rangeM > sensor.maxRangeM)
      return [];
    const { speedMps, climbMps, courseDeg, ...position } = claimedState(contact, tS, noise);
    return [
      {
        icao: contact.claim,
        callsign: "GDEMO",
        category: "A1",
        ...position,
        gs_mps: speedMps,
        vrate_mps: climbMps,
        track_deg: courseDeg,
        nic: 8,
        nac_p: 9,
      },
    ];
  });
}

function frameAt(eastM: number, northM: number, upM: number): EnuFrame {
  const [lat, lon, alt] = site.toGeodetic(eastM, northM, upM);
  return new EnuFrame({ lat, lon, alt_hae_m: alt });
}

export const SENSORS: readonly Sensor[] = [
  {
    id: "demo-radar-north",
    modality: "radar",
    periodMs: 1000,
    offsetMs: 0,
    frame: frameAt(0, 350, 12),
    maxRangeM: 7000,
    declared: RADAR,
    look: lookRadar,
  },
  {
    id: "demo-radar-south",
    modality: "radar",
    periodMs: 1500,
    offsetMs: 400,
    frame: frameAt(450, -600, 9),
    maxRangeM: 6000,
    declared: RADAR,
    look: lookRadar,
  },
  {
    id: "demo-rf-west",
    modality: "rf",
    periodMs: 1000,
    offsetMs: 200,
    frame: frameAt(-1200, -100, 15),
    maxRangeM: 5000,
    declared: RADIO,
    look: lookRadio,
  },
  {
    id: "demo-rf-east",
    modality: "rf",
    periodMs: 1000,
    offsetMs: 600,
    frame: frameAt(1300, 150, 15),
    maxRangeM: 5000,
    declared: RADIO,
    look: lookRadio,
  },
  {
    id: "demo-remote-id",
    modality: "remote_id",
    periodMs: 1000,
    offsetMs: 300,
    frame: frameAt(0, 0, 10),
    maxRangeM: 3000,
    declared: CLAIM,
    look: lookRemoteId,
  },
  {
    id: "demo-adsb",
    modality: "adsb",
    periodMs: 1000,
    offsetMs: 700,
    frame: frameAt(0, 0, 10),
    maxRangeM: 60_000,
    declared: CLAIM,
    look: lookAdsb,
  },
];

/** The scans in [fromMs, toMs) of a demo that began at `startMs`, in order of time. */
export function scansBetween(startMs: number, fromMs: number, toMs: number): WireScan[] {
  const scans: WireScan[] = [];
  for (const [number, sensor] of SENSORS.entries()) {
    const first = Math.max(0, Math.ceil((fromMs - startMs - sensor.offsetMs) / sensor.periodMs));
    for (let index = first; ; index++) {
      const measuredAt = startMs + sensor.offsetMs + index * sensor.periodMs;
      if (measuredAt >= toMs) break;
      const detections = sensor.look(sensor, (measuredAt - startMs) / 1000, noiseOf(SEED, number, index));
      const { lat, lon, alt_hae_m } = sensor.frame.origin;
      scans.push({
        source_id: sensor.id,
        modality: sensor.modality,
        measured_at: measuredAt,
        scan_id: `${startMs}-${index}`,
        sensor_pose: { lat, lon, alt_hae_m },
        detections,
      });
    }
  }
  return scans.sort((a, b) => a.measured_at - b.measured_at);
}
