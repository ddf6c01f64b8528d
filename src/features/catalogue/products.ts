/**
 * Products and the recipes that connect each to this deployment (docs/interface.md#catalogue): forms whose fields are filled with
 * the deployment's published settings. Only protocols that this build supports have recipes.
 */
import type { ProductView, Recipe, RecipeField } from "../../domain/catalogue.ts";
import { assert } from "../../lib/assert.ts";
import { PROTOCOL_FAMILIES } from "./types/protocolFamilies.ts";

/** The published settings that recipes are resolved against. */
export interface Published {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  readonly mavlinkUdp: string | null;
}

interface Resolved {
  readonly value: string | number | null;
  readonly from: string;
}

function baseUrl(published: Published): Resolved {
  if (published.publicUrl !== null) return { value: published.publicUrl.replace(/\/+$/, ""), from: "PUBLIC_URL" };
  // Port 0: the system chooses one when the service starts, so the configuration cannot name it.
  if (published.port === 0) return { value: null, from: "PUBLIC_URL" };
  const host = published.host.includes(":") && !published.host.startsWith("[") ? `[${published.host}]` : published.host;
  return { value: `http://${host}:${published.port}`, from: "HOST, PORT" };
}

function asked(name: string, label: string, type: RecipeField["type"], more: Partial<RecipeField> = {}): RecipeField {
  return { name, label, type, required: true, default: null, value: null, options: [], resolved_from: null, ...more };
}

function resolved(name: string, label: string, type: RecipeField["type"], { value, from }: Resolved): RecipeField {
  return asked(name, label, type, { value, resolved_from: value === null ? null : from });
}

function recipe(
  id: string,
  protocol: string,
  title: string,
  fields: RecipeField[],
  steps: string[],
  testRoute: string,
): Recipe {
  const family = PROTOCOL_FAMILIES.find((one) => one.key === protocol);
  assert(family !== undefined, `the recipe ${id} names an unknown protocol family ${protocol}`);
  const { direction, status } = family;
  assert(status !== "planned", `the recipe ${id} is over ${protocol}, which this build does not speak`);
  return { id, protocol, title, direction, status, fields, steps, test_route: testRoute };
}

function push(id: string, modality: string, published: Published): Recipe {
  const base = baseUrl(published);
  const url = base.value === null ? base : { ...base, value: `${base.value}/api/signals` };
  return recipe(
    id,
    "rest_push",
    "Post observations",
    [
      resolved("url", "Address", "url", url),
      asked("api_key", "API key", "secret"),
      asked("source_id", "Source", "text"),
      asked("modality", "Modality", "text", { default: modality, value: modality, resolved_from: "catalogue" }),
      asked("content_type", "Format", "choice", {
        default: "application/json",
        options: ["application/json", "application/x-ndjson", "application/msgpack"],
      }),
    ],
    [
      "create a key with POST /api/keys and keep its secret",
      "register the sensor with POST /api/assets, or send sensor_pose with each observation",
      "post observations or scans to the address with the header X-Api-Key",
      "find the source in GET /api/picture, under sensors or candidates",
    ],
    "POST /api/signals",
  );
}

function address(label: string, defaultPort: number): RecipeField[] {
  return [asked("host", label, "text"), asked("port", "Port", "number", { default: defaultPort })];
}

const sapient = (id: string) =>
  recipe(
    id,
    "sapient_flex335_v2",
    "SAPIENT edge node",
    address("This service's address", 5020),
    [
      "open the listener with POST /api/links (protocol sapient_flex335_v2)",
      "point the node at the address",
      "adopt it from GET /api/discoveries",
    ],
    "GET /api/discoveries",
  );

const remoteIdOverMqtt = () =>
  recipe(
    "remote-id-receiver-broadcast",
    "odid_wifi_ble",
    "Open Drone ID payloads over MQTT",
    [
      asked("url", "Broker", "url"),
      asked("topic", "Topic", "text"),
      asked("password", "Password", "secret", { required: false }),
    ],
    [
      "let the receiver publish what its radio heard, as JSON with an odid member or as bare bytes",
      "open the link with POST /api/links (protocol odid_wifi_ble, options.topic)",
    ],
    "GET /api/links",
  );

function mavlinkFields(published: Published): RecipeField[] {
  const [mavlinkHost = null, mavlinkPort = null] = published.mavlinkUdp?.split(/:(?=\d+$)/) ?? [];
  return [
    resolved("host", "Address", "text", { value: mavlinkHost, from: "MAVLINK_UDP" }),
    resolved("port", "Port", "number", {
      value: mavlinkPort === null ? null : Number(mavlinkPort),
      from: "MAVLINK_UDP",
    }),
    asked("signing_key", "Signing key", "secret", { required: false }),
  ];
}

export function resolveProducts(published: Published): ProductView[] {
  const product = (id: string, name: string, catalogName: string, kind: string, recipes: Recipe[]): ProductView => ({
    id,
    name,
    vendor: "generic",
    catalog_name: catalogName,
    kind,
    recipes,
  });
  const mavlink = mavlinkFields(published);
  const vehicle = (id: string) =>
    recipe(
      id,
      "mavlink2",
      "MAVLink 2 over UDP",
      mavlink,
      ["send the vehicle's telemetry to the address", "adopt it from GET /api/discoveries"],
      "GET /api/discoveries",
    );
  const cot = (id: string) =>
    recipe(
      id,
      "cot_xml",
      "Cursor on Target",
      address("Address", 8088),
      ["open the listener with POST /api/links (protocol cot_xml, transport tcp)", "connect the client to the address"],
      "GET /api/links",
    );
  return [
    product("radar-3d", "3-D radar", "radar-3d-short", "sensor", [
      push("radar-3d-rest", "radar", published),
      sapient("radar-3d-sapient"),
    ]),
    product("radar-staring", "Staring radar", "radar-staring-fmcw", "sensor", [
      push("radar-staring-rest", "radar", published),
      sapient("radar-staring-sapient"),
    ]),
    product("rf-direction-finder", "RF direction finder", "rf-df-array", "sensor", [
      push("rf-direction-finder-rest", "rf", published),
      sapient("rf-direction-finder-sapient"),
    ]),
    product("camera", "Camera, pan-tilt-zoom", "eo-ptz-long", "sensor", [
      push("camera-rest", "eo", published),
      sapient("camera-sapient"),
    ]),
    product("acoustic-array", "Acoustic array", "acoustic-array", "sensor", [
      push("acoustic-array-rest", "acoustic", published),
      sapient("acoustic-array-sapient"),
    ]),
    product("remote-id-receiver", "Remote ID receiver", "rid-wifi", "sensor", [
      push("remote-id-receiver-rest", "remote_id", published),
      remoteIdOverMqtt(),
    ]),
    product("adsb-receiver", "ADS-B receiver", "adsb-1090", "sensor", [
      push("adsb-receiver-rest", "adsb", published),
      recipe(
        "adsb-receiver-json",
        "adsb_readsb_json",
        "aircraft.json",
        [asked("url", "Address of aircraft.json", "url")],
        ["open the link with POST /api/links (protocol adsb_readsb_json, address the URL)"],
        "GET /api/links",
      ),
      recipe(
        "adsb-receiver-sbs",
        "adsb_sbs",
        "BaseStation text",
        address("Receiver", 30_003),
        ["open the link with POST /api/links (protocol adsb_sbs, address and port)"],
        "GET /api/links",
      ),
    ]),
    product("mavlink-multirotor", "Multirotor with MAVLink autopilot", "Multirotor", "vehicle", [
      vehicle("mavlink-multirotor-udp"),
      push("mavlink-multirotor-rest", "blue_force", published),
    ]),
    product("tak-client", "TAK client", "blue-force-link", "sensor", [
      cot("tak-client-cot"),
      push("tak-client-rest", "blue_force", published),
    ]),
  ];
}
