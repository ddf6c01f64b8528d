/** The types of sensor: 35 rows. Most of them differ in what they deliver (`traits.output`). */
import type { CatalogueType } from "../../../domain/catalogue.ts";
import { family } from "./row.ts";

const NODE = ["sapient_flex335_v2", "sapient_flex335_v1", "rest_push"];
const RADAR = [...NODE, "asterix_cat015", "asterix_cat048"];

const RADARS = family(
  { domain: "sensor", family: "radar", kind: "sensor", protocols: RADAR, defaults: { "traits.output": "plot" } },
  [
    {
      key: "radar_2d_rotating",
      title: "2-D rotating radar",
      codes: "SAP:2 LAT:RADAR",
      defaults: { "traits.scan_period_s": 2.5, "traits.elevation": false },
      description: "range and azimuth, a look a turn",
    },
    {
      key: "radar_3d_rotating",
      title: "3-D rotating radar",
      codes: "AST:015/601",
      defaults: { "traits.scan_period_s": 1, "traits.elevation": true, "traits.min_range_m": 50 },
      description: "range, azimuth and elevation, a look a turn",
    },
    {
      key: "radar_staring_array",
      title: "Staring radar array",
      differsFrom: "radar_3d_rotating",
      in: ["traits.scan_period_s"],
      defaults: { "traits.scan_period_s": 0, "traits.elevation": true, "traits.min_range_m": 50 },
      description: "looks everywhere in its sector at once: no scan period",
    },
    {
      key: "radar_fmcw_short",
      title: "Short-range FMCW radar",
      differsFrom: "radar_staring_array",
      in: ["traits.min_range_m", "traits.measures_first"],
      defaults: {
        "traits.scan_period_s": 0,
        "traits.elevation": true,
        "traits.min_range_m": 2,
        "traits.measures_first": "range_rate",
      },
      description: "almost no blind range; range rate before all else",
    },
    {
      key: "radar_doppler_only",
      title: "Doppler radar",
      codes: "AST:015/626",
      protocols: NODE,
      defaults: { "traits.output": "range_rate", "traits.measures_first": "range_rate" },
      description: "range rate, no range",
    },
    {
      key: "radar_multistatic_passive",
      title: "Passive multistatic radar",
      codes: "AST:015/020",
      defaults: { "traits.scan_period_s": 1, "traits.elevation": true, "traits.emits": false },
      description: "listens to the echoes of broadcast stations",
    },
    {
      key: "radar_marine",
      title: "Marine radar",
      codes: "SRC:signalk_radar_api",
      protocols: ["signalk", "rest_push"],
      defaults: { "traits.scan_period_s": 2.5, "traits.elevation": false },
      description: "navigation radar of a vessel or a harbour",
    },
  ],
);

const PASSIVE_RF = family(
  { domain: "sensor", family: "passive_rf", kind: "sensor", protocols: NODE, defaults: { "traits.emits": false } },
  [
    {
      key: "rf_presence",
      title: "RF presence detector",
      codes: "SAP:8",
      defaults: { "traits.output": "presence" },
      description: "something transmits; no direction",
    },
    {
      key: "rf_direction_finder",
      title: "RF direction finder",
      codes: "LAT:RF",
      defaults: { "traits.output": "bearing" },
      description: "direction of an emitter",
    },
    {
      key: "rf_tdoa_network",
      title: "RF time-difference network",
      differsFrom: "rf_direction_finder",
      in: ["traits.output"],
      defaults: { "traits.output": "position" },
      description: "position of an emitter from arrival times; no bearing",
    },
    {
      key: "rf_protocol_decoder",
      title: "RF protocol decoder",
      codes: "SAP:15",
      defaults: { "traits.output": "identity" },
      description: "reads what a known control or video link says",
    },
    {
      key: "spectrum_monitor",
      title: "Spectrum monitor",
      differsFrom: "rf_presence",
      in: ["traits.output"],
      defaults: { "traits.output": "occupancy" },
      description: "which bands are in use, and no more",
    },
  ],
);

const REMOTE_ID = family(
  {
    domain: "sensor",
    family: "remote_id",
    kind: "sensor",
    protocols: ["odid_wifi_ble", "rest_push"],
    defaults: { "traits.output": "claim", "traits.emits": false },
  },
  [
    {
      key: "rid_wifi_receiver",
      title: "Remote ID receiver, Wi-Fi",
      codes: "SRC:opendroneid_wifi",
      description: "beacon and neighbour-awareness frames",
    },
    {
      key: "rid_bluetooth_receiver",
      title: "Remote ID receiver, Bluetooth",
      codes: "SRC:opendroneid_bluetooth",
      description: "legacy and long-range advertisements",
    },
    {
      key: "rid_network_display",
      title: "Network Remote ID",
      codes: "SRC:astm_f3411_netrid",
      protocols: ["astm_f3411_netrid", "rest_push"],
      description: "flights as service providers report them",
    },
  ],
);

const COOPERATIVE = family(
  {
    domain: "sensor",
    family: "cooperative",
    kind: "sensor",
    protocols: ["adsb_readsb_json", "adsb_beast", "adsb_sbs", "rest_push"],
    defaults: { "traits.output": "claim", "traits.medium": "air", "traits.emits": false },
  },
  [
    {
      key: "adsb_1090",
      title: "ADS-B receiver, 1090 MHz",
      codes: "MAV:27 SRC:readsb",
      description: "extended squitter",
    },
    {
      key: "uat_978",
      title: "ADS-B receiver, UAT 978 MHz",
      codes: "SRC:readsb_uat",
      protocols: ["adsb_readsb_json", "adsb_sbs", "rest_push"],
      description: "universal access transceiver",
    },
    {
      key: "ssr_mode_s",
      title: "Secondary radar, Mode S",
      codes: "AST:048/020",
      protocols: ["asterix_cat048", "rest_push"],
      defaults: { "traits.output": "plot", "traits.emits": true },
      description: "interrogates transponders",
    },
    {
      key: "mlat_network",
      title: "Multilateration network",
      codes: "AST:020",
      protocols: ["adsb_readsb_json", "asterix_cat062", "rest_push"],
      defaults: { "traits.output": "position" },
      description: "positions of transponders from arrival times",
    },
    {
      key: "flarm_receiver",
      title: "FLARM receiver",
      codes: "MAV:32",
      protocols: ["adsb_sbs", "rest_push"],
      description: "collision warning of gliders and light aircraft",
    },
    {
      key: "ais_receiver",
      title: "AIS receiver",
      differsFrom: "adsb_1090",
      in: ["traits.medium"],
      protocols: ["nmea0183_ais", "signalk", "rest_push"],
      defaults: { "traits.medium": "maritime" },
      description: "positions of vessels",
    },
  ],
);

const EO_IR = family(
  {
    domain: "sensor",
    family: "eo_ir",
    kind: "sensor",
    protocols: NODE,
    defaults: {
      "traits.output": "bearing",
      "traits.emits": false,
      "traits.spectral_band": "visible",
      "traits.startup_s": 5,
    },
  },
  [
    {
      key: "eo_fixed",
      title: "Day camera, fixed",
      codes: "SAP:4 LAT:OPTICAL",
      defaults: { "traits.steerable": false },
      description: "sees one sector in visible light",
    },
    {
      key: "eo_ptz",
      title: "Day camera, pan-tilt-zoom",
      codes: "SAP:19",
      defaults: { "traits.steerable": true },
      description: "follows what it is pointed at",
    },
    {
      key: "ir_lwir_fixed",
      title: "Thermal imager, long wave, fixed",
      differsFrom: "eo_fixed",
      in: ["traits.spectral_band"],
      defaults: { "traits.steerable": false, "traits.spectral_band": "lwir" },
      description: "uncooled, 8 to 14 um",
    },
    {
      key: "ir_mwir_ptz",
      title: "Thermal imager, mid wave, pan-tilt-zoom",
      differsFrom: "eo_ptz",
      in: ["traits.spectral_band", "traits.startup_s"],
      defaults: { "traits.steerable": true, "traits.spectral_band": "mwir", "traits.startup_s": 420 },
      description: "cooled, 3 to 5 um; minutes to cool down",
    },
    {
      key: "eo_ir_gimbal",
      title: "Day and thermal gimbal",
      codes: "MAV:26",
      protocols: ["mavlink2", "rest_push"],
      defaults: { "traits.steerable": true, "traits.spectral_band": "visible_lwir" },
      description: "stabilised, carried by a vehicle",
    },
    {
      key: "ir_panoramic_search",
      title: "Panoramic infrared search",
      differsFrom: "ir_mwir_ptz",
      in: ["traits.scan_period_s", "traits.steerable"],
      defaults: {
        "traits.steerable": false,
        "traits.spectral_band": "mwir",
        "traits.startup_s": 420,
        "traits.scan_period_s": 1,
      },
      description: "turns all round; bearings only",
    },
  ],
);

const LASER = family(
  { domain: "sensor", family: "laser", kind: "sensor", protocols: NODE, defaults: { "traits.emits": true } },
  [
    {
      key: "lidar_scanning",
      title: "Scanning lidar",
      codes: "SAP:3",
      defaults: { "traits.output": "plot", "traits.cued": false },
      description: "range and both angles, at short range",
    },
    {
      key: "laser_rangefinder",
      title: "Laser rangefinder",
      differsFrom: "lidar_scanning",
      in: ["traits.output", "traits.cued"],
      defaults: { "traits.output": "range", "traits.cued": true },
      description: "range only, of what another sensor points at",
    },
  ],
);

const ACOUSTIC = family(
  { domain: "sensor", family: "acoustic", kind: "sensor", protocols: NODE, defaults: { "traits.emits": false } },
  [
    {
      key: "acoustic_single",
      title: "Acoustic sensor, single",
      codes: "SAP:6",
      defaults: { "traits.output": "presence" },
      description: "hears that something flies",
    },
    {
      key: "acoustic_array",
      title: "Acoustic array",
      differsFrom: "acoustic_single",
      in: ["traits.output"],
      defaults: { "traits.output": "bearing" },
      description: "hears from where",
    },
    {
      key: "acoustic_tdoa_network",
      title: "Acoustic time-difference network",
      differsFrom: "acoustic_array",
      in: ["traits.output"],
      defaults: { "traits.output": "position" },
      description: "several arrays, one position",
    },
  ],
);

const GROUND_PROXIMITY = family(
  {
    domain: "sensor",
    family: "ground_proximity",
    kind: "sensor",
    protocols: NODE,
    defaults: { "traits.output": "presence", "traits.emits": false },
  },
  [
    { key: "seismic", title: "Seismic sensor", codes: "SAP:5", description: "steps and vehicles" },
    {
      key: "proximity_perimeter",
      title: "Perimeter sensor",
      codes: "SAP:7 LAT:PERIMETER",
      description: "something crossed a line",
    },
  ],
);

const HUMAN = family(
  {
    domain: "sensor",
    family: "human",
    kind: "sensor",
    protocols: ["cot_xml", "sapient_flex335_v2", "rest_push"],
    defaults: { "traits.emits": false },
  },
  [
    {
      key: "human_observer",
      title: "Human observer",
      codes: "SAP:9",
      defaults: { "traits.output": "bearing" },
      description: "a person who reports what he sees",
    },
  ],
);

export const SENSOR_TYPES: readonly CatalogueType[] = [
  ...RADARS,
  ...PASSIVE_RF,
  ...REMOTE_ID,
  ...COOPERATIVE,
  ...EO_IR,
  ...LASER,
  ...ACOUSTIC,
  ...GROUND_PROXIMITY,
  ...HUMAN,
];
