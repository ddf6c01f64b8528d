/**
 * The settings: environment variables, read once at start into one frozen value. Nothing else reads the environment. One
 * table defines the variables; the parser, `npm start -- --help`, README's table and .env.example come from it.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { twoColumns, wrap } from "./lib/columns.ts";
import { newSecret, SECRET_LENGTH_MIN } from "./lib/ids.ts";
import {
  anyText,
  BadValue,
  ConfigError,
  codeOf,
  type Environment,
  misspeltNames,
  oneOf,
  optional,
  originList,
  type Parse,
  SettingsReader,
  urlOf,
  type Variable,
  wholeNumber,
  withDefault,
} from "./lib/settings.ts";
import { createWhole } from "./lib/wholeFile.ts";
import { STREAMS_PER_WORKSPACE_DEFAULT, TRACKS_PER_WORKSPACE_MAX, WORKSPACES_PER_USER_DEFAULT } from "./limits.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  /** Origins whose pages may call the API, as a browser spells them in `Origin`; none by default. */
  readonly corsOrigins: readonly string[];
  readonly databaseUrl: string | null;
  /** An absolute path. */
  readonly dataDir: string;
  readonly devMode: boolean;
  /** The first one signs; a token signed with any of them is valid. */
  readonly sessionSecrets: readonly string[];
  readonly secretKey: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  readonly vehicleControl: boolean;
  /** host:port; null: closed. */
  readonly mavlinkUdp: string | null;
  /** null: the workspace that was created first. */
  readonly mavlinkWorkspace: string | null;
  readonly natsUrl: string | null;
  readonly logLevel: string;
  readonly logFormat: "pretty" | "json";
  /** 0: no limit. */
  readonly rateLimitRps: number;
  readonly streamsPerWorkspaceMax: number;
  readonly tracksPerWorkspaceMax: number;
  /** That one user may make. */
  readonly workspacesPerUserMax: number;
}

const secretText: Parse<string> = (text) =>
  text.length >= SECRET_LENGTH_MIN ? text : new BadValue(`must have at least ${SECRET_LENGTH_MIN} characters`);

const oneOrTwoSecrets: Parse<readonly string[]> = (text) => {
  const secrets = text.split(",").map((secret) => secret.trim());
  if (secrets.length <= 2 && secrets.every((secret) => secret.length >= SECRET_LENGTH_MIN)) return secrets;
  return new BadValue(`must be one or two values of at least ${SECRET_LENGTH_MIN} characters, separated by a comma`);
};

const udpAddressOrOff: Parse<string | null> = (text) => {
  if (text === "off") return null;
  // Port 0 lets the system choose, as PORT=0 does.
  const port = Number(/^\S+:(\d{1,5})$/.exec(text)?.[1]);
  return port <= 65_535 ? text : new BadValue(`must be host:port or "off", not "${text}"`);
};

const ON_OFF = { on: true, off: false };
const ZERO_ONE = { "0": false, "1": true };
const LOG_LEVELS = Object.fromEntries(["trace", "debug", "info", "warn", "error", "fatal"].map((name) => [name, name]));
const LOG_FORMATS = { pretty: "pretty", json: "json" } as const;

/** In the order in which people read it. */
const TABLE = {
  host: withDefault("HOST", "127.0.0.1", anyText, { meaning: "listening address" }),
  port: withDefault("PORT", "8077", wholeNumber(0, 65_535), {
    meaning: "listening port; 0 picks a free one; the first log line gives the URL",
  }),
  publicUrl: optional("PUBLIC_URL", "from HOST and PORT", urlOf("http:", "https:"), {
    meaning: "address at which clients reach the service; connection recipes show it",
    example: "https://picket.example.org",
  }),
  corsOrigins: optional("CORS_ORIGINS", "none", originList, {
    meaning: "other origins whose pages may call the API, separated by commas",
    example: "https://ops.example.org",
  }),
  databaseUrl: optional("DATABASE_URL", "unset", urlOf("postgres:", "postgresql:"), {
    meaning: "a Postgres 14 or later; unset starts the embedded Postgres in DATA_DIR",
    example: "postgres://picket:password@127.0.0.1:5432/picket",
    isSecret: true,
  }),
  dataDir: withDefault("DATA_DIR", "./data", anyText, {
    meaning: "folder of the embedded database and of generated secrets (mode 0600)",
  }),
  devMode: optional("DEV_MODE", "1 on loopback without SMTP_URL, else 0", oneOf(ZERO_ONE), {
    meaning: "1 allows dev-login and shows sign-in codes in answers; a warning line announces it",
    example: "0",
  }),
  sessionSecret: optional("SESSION_SECRET", "generated into DATA_DIR", oneOrTwoSecrets, {
    meaning: "signs session tokens; to rotate, give the new and the old one, separated by a comma",
    isSecret: true,
  }),
  secretKey: optional("SECRET_KEY", "unset", secretText, {
    meaning: "encrypts the credentials of links at rest; routes that need it answer 503 without it",
    isSecret: true,
  }),
  smtpUrl: optional("SMTP_URL", "unset", urlOf("smtp:", "smtps:"), {
    meaning: "server for sign-in mail; without it and without DEV_MODE login answers 503",
    example: "smtps://user:password@mail.example.org",
    isSecret: true,
  }),
  mailFrom: withDefault("MAIL_FROM", "picket@localhost", anyText, { meaning: "sender of sign-in mail" }),
  vehicleControl: withDefault("VEHICLE_CONTROL", "on", oneOf(ON_OFF), {
    meaning: "off: commands to vehicles answer 501 feature_absent",
  }),
  mavlinkUdp: withDefault("MAVLINK_UDP", "127.0.0.1:14550", udpAddressOrOff, {
    meaning: "UDP address on which MAVLink vehicles are received; off closes it",
  }),
  mavlinkWorkspace: optional("MAVLINK_WORKSPACE", "the first created", anyText, {
    meaning: "id of the workspace that MAVLINK_UDP belongs to",
  }),
  natsUrl: optional("NATS_URL", "unset", urlOf("nats:", "tls:"), {
    meaning: "reserved for several nodes that share the work; this release runs as one node and ignores it",
    isSecret: true,
  }),
  logLevel: withDefault("LOG_LEVEL", "info", oneOf(LOG_LEVELS), {
    meaning: "trace, debug, info, warn, error or fatal",
  }),
  logFormat: optional("LOG_FORMAT", "pretty on a terminal, else json", oneOf(LOG_FORMATS), {
    meaning: "pretty or json",
    example: "json",
  }),
  rateLimitRps: withDefault("RATE_LIMIT_RPS", "0", wholeNumber(0, 1_000_000), {
    meaning: "requests a second that one credential may make; 0 is no limit",
  }),
  streamsPerWorkspaceMax: withDefault(
    "STREAMS_PER_WORKSPACE_MAX",
    String(STREAMS_PER_WORKSPACE_DEFAULT),
    wholeNumber(1, 1_000_000),
    {
      meaning: "open streams a workspace",
    },
  ),
  tracksPerWorkspaceMax: withDefault(
    "TRACKS_PER_WORKSPACE_MAX",
    String(TRACKS_PER_WORKSPACE_MAX),
    wholeNumber(1, TRACKS_PER_WORKSPACE_MAX),
    {
      meaning: "live tracks a workspace",
    },
  ),
  workspacesPerUserMax: withDefault(
    "WORKSPACES_PER_USER_MAX",
    String(WORKSPACES_PER_USER_DEFAULT),
    wholeNumber(1, 1_000_000),
    {
      meaning: "workspaces that one user may make",
    },
  ),
};

type Values = { [K in keyof typeof TABLE]: (typeof TABLE)[K]["valueWhenUnset"] };

export const VARIABLES: readonly Variable[] = Object.values(TABLE);

/** The secret that an earlier start kept, or else a new one: sessions outlive a restart. Only the owner may read it. */
function keptSecret(dataDir: string): string | BadValue {
  const path = join(dataDir, "session.secret");
  try {
    mkdirSync(dataDir, { recursive: true });
    if (!existsSync(path)) createWhole(path, newSecret("ses"));
    const secret = readFileSync(path, "utf8").trim();
    if (secret.length >= SECRET_LENGTH_MIN) return secret;
    return new BadValue(
      `holds a damaged session.secret; delete that file, which signs everyone out, or set SESSION_SECRET`,
    );
  } catch (fault) {
    return new BadValue(`(${dataDir}) cannot be used (${codeOf(fault)}); name a folder that this user may write to`);
  }
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

/** Throws a ConfigError with all faults at once. Writes nothing to the disk before every variable was found right. */
export function readConfig(env: Environment, isTerminal: boolean): Config {
  const reader = new SettingsReader(env);
  const read = Object.entries(TABLE).map(([key, variable]) => [key, reader.read(variable as Variable)]);
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  const { sessionSecret, ...values } = Object.fromEntries(read) as Values;
  const dataDir = resolve(values.dataDir);
  const kept = sessionSecret === null ? keptSecret(dataDir) : null;
  if (kept instanceof BadValue) throw new ConfigError([`DATA_DIR ${kept.reason}`]);
  return Object.freeze({
    ...values,
    dataDir,
    corsOrigins: values.corsOrigins ?? Object.freeze([]),
    devMode: values.devMode ?? (LOOPBACK.test(values.host) && values.smtpUrl === null),
    sessionSecrets: sessionSecret ?? [kept!],
    logFormat: values.logFormat ?? (isTerminal ? "pretty" : "json"),
  });
}

/** A sentence for each variable that is probably a mistake; the service starts all the same. */
export function environmentWarnings(env: Environment): string[] {
  const warnings = misspeltNames(env, VARIABLES, "PICKET_");
  if (env.NATS_URL || env.NATS_URL_FILE)
    warnings.push("NATS_URL is set, but this release ignores it: every node works alone");
  return warnings;
}

/** The table for a terminal of `width` columns. */
export function variablesHelp(width: number): string {
  const rows = VARIABLES.map(
    ({ name, fallback, meaning, isSecret }) =>
      [isSecret ? `${name}[_FILE]` : name, `${meaning} (${fallback})`] as const,
  );
  const files = "NAME_FILE, where the table has [_FILE], is the path of a file that holds the value of NAME.";
  return `${twoColumns(rows, width)}\n\n${wrap(files, width).join("\n")}`;
}
