/** The environment, read once at start, as one frozen value (contract, Configuration). The only reader of process.env. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newSecret } from "./lib/ids.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  /** Origins whose pages may call the API, as a browser spells them in `Origin`; none by default. */
  readonly corsOrigins: readonly string[];
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly devMode: boolean;
  /** First signs, all verify. */
  readonly sessionSecrets: readonly string[];
  readonly secretKey: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  readonly vehicleControl: boolean;
  readonly mavlinkUdp: string | null;
  /** null: the first created. */
  readonly mavlinkWorkspace: string | null;
  readonly natsUrl: string | null;
  readonly logLevel: string;
  readonly logFormat: "pretty" | "json";
  readonly rateLimitRps: number;
  readonly streamsPerWorkspaceMax: number;
  readonly tracksPerWorkspaceMax: number;
}

/** One row a variable: the parser, `--help` and the README table come from it. */
export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

export const VARIABLES: readonly Variable[] = [
  { name: "HOST", fallback: "127.0.0.1", meaning: "listening address" },
  { name: "PORT", fallback: "8077", meaning: "listening port; 0 picks a free one; the first log line gives the URL" },
  { name: "PUBLIC_URL", fallback: "from HOST and PORT", meaning: "what links are resolved against by clients" },
  {
    name: "CORS_ORIGINS",
    fallback: "none",
    meaning: "other origins whose pages may call the API, such as https://ops.example.org; separated by commas",
  },
  {
    name: "DATABASE_URL",
    fallback: "unset",
    meaning: "a Postgres 14 or later; unset starts the embedded Postgres in DATA_DIR",
  },
  { name: "DATA_DIR", fallback: "./data", meaning: "embedded database, generated secrets (mode 0600)" },
  {
    name: "DEV_MODE",
    fallback: "1 on loopback without SMTP_URL, else 0",
    meaning: "dev-login, codes in answers; announced in a warning line",
  },
  {
    name: "SESSION_SECRET",
    fallback: "generated into DATA_DIR",
    meaning: "signs session tokens; two values separated by a comma rotate",
  },
  {
    name: "SECRET_KEY",
    fallback: "unset",
    meaning: "encrypts link credentials at rest; routes that need it answer 503 without it",
  },
  {
    name: "SMTP_URL",
    fallback: "unset",
    meaning: "sign-in mail, smtp:// or smtps://; without it and without DEV_MODE login answers 503",
  },
  { name: "MAIL_FROM", fallback: "picket@localhost", meaning: "sender of sign-in mail" },
  { name: "VEHICLE_CONTROL", fallback: "on", meaning: "off: commands answer 501 feature_absent" },
  { name: "MAVLINK_UDP", fallback: "127.0.0.1:14550", meaning: "where vehicles are heard; off closes it" },
  {
    name: "MAVLINK_WORKSPACE",
    fallback: "the first created",
    meaning: "id of the workspace that MAVLINK_UDP belongs to",
  },
  {
    name: "NATS_URL",
    fallback: "unset",
    meaning: "where several nodes would share the work; read, not used yet: every node works alone",
  },
  { name: "LOG_LEVEL", fallback: "info", meaning: "trace, debug, info, warn, error or fatal" },
  { name: "LOG_FORMAT", fallback: "pretty on a terminal, else json", meaning: "pretty or json" },
  { name: "RATE_LIMIT_RPS", fallback: "0", meaning: "requests a second and credential; 0 is off" },
  { name: "STREAMS_PER_WORKSPACE_MAX", fallback: "20000", meaning: "open streams a workspace" },
  { name: "TRACKS_PER_WORKSPACE_MAX", fallback: "10000", meaning: "live tracks a workspace" },
];

/** A setting that cannot be used; the message names the variable. `main.ts` prints it and exits 78 (EX_CONFIG). */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Readonly<Record<string, string | undefined>>;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"];
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

function text(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}

function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const value = text(env, name);
  if (value === null) return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < min || number > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}"`);
  return number;
}

function oneOf<T extends string>(env: Environment, name: string, fallback: T, allowed: readonly T[]): T {
  const value = text(env, name);
  if (value === null) return fallback;
  if (!allowed.includes(value as T))
    throw new ConfigError(`${name} must be one of ${allowed.join(", ")}, not "${value}"`);
  return value as T;
}

function url(env: Environment, name: string, schemes: readonly string[]): string | null {
  const value = text(env, name);
  if (value === null) return null;
  if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol))
    throw new ConfigError(`${name} must be a URL that starts with ${schemes.join(" or ")}//`);
  return value;
}

/** A browser sends scheme, host and port and nothing else, so anything else would never match. */
function origins(env: Environment, name: string): readonly string[] {
  const given = text(env, name)?.split(",") ?? [];
  return given.map((part) => {
    const value = part.trim();
    const parsed = URL.canParse(value) ? new URL(value) : null;
    const isOrigin =
      parsed !== null && ["http:", "https:"].includes(parsed.protocol) && parsed.href === `${parsed.origin}/`;
    if (!isOrigin)
      throw new ConfigError(
        `${name} must be origins such as https://ops.example.org, separated by commas, not "${value}"`,
      );
    return parsed.origin;
  });
}

/** The session secret outlives restarts, so it is kept beside the data, readable by the owner only. */
function sessionSecrets(env: Environment, dataDir: string): string[] {
  const given = text(env, "SESSION_SECRET");
  if (given !== null) {
    const secrets = given.split(",").map((s) => s.trim());
    if (secrets.length > 2 || secrets.some((s) => s.length < 32))
      throw new ConfigError("SESSION_SECRET must be one or two values of at least 32 characters, separated by a comma");
    return secrets;
  }
  const file = join(dataDir, "session.secret");
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, newSecret("ses"), { mode: 0o600 });
  }
  return [readFileSync(file, "utf8").trim()];
}

export function readConfig(env: Environment, isTerminal: boolean): Config {
  const host = text(env, "HOST") ?? "127.0.0.1";
  const smtpUrl = url(env, "SMTP_URL", ["smtp:", "smtps:"]);
  const dataDir = resolve(text(env, "DATA_DIR") ?? "./data");
  const devDefault = LOOPBACK.test(host) && smtpUrl === null ? "1" : "0";
  const mavlink = text(env, "MAVLINK_UDP") ?? "127.0.0.1:14550";
  if (mavlink !== "off" && !/^\S+:\d{1,5}$/.test(mavlink))
    throw new ConfigError('MAVLINK_UDP must be host:port or "off"');
  const secretKey = text(env, "SECRET_KEY");
  if (secretKey !== null && secretKey.length < 32) throw new ConfigError("SECRET_KEY must have at least 32 characters");
  return Object.freeze({
    host,
    port: integer(env, "PORT", 8077, 0, 65_535),
    publicUrl: url(env, "PUBLIC_URL", ["http:", "https:"]),
    corsOrigins: Object.freeze(origins(env, "CORS_ORIGINS")),
    databaseUrl: url(env, "DATABASE_URL", ["postgres:", "postgresql:"]),
    dataDir,
    devMode: oneOf(env, "DEV_MODE", devDefault, ["0", "1"]) === "1",
    sessionSecrets: sessionSecrets(env, dataDir),
    secretKey,
    smtpUrl,
    mailFrom: text(env, "MAIL_FROM") ?? "picket@localhost",
    vehicleControl: oneOf(env, "VEHICLE_CONTROL", "on", ["on", "off"]) === "on",
    mavlinkUdp: mavlink === "off" ? null : mavlink,
    mavlinkWorkspace: text(env, "MAVLINK_WORKSPACE"),
    natsUrl: url(env, "NATS_URL", ["nats:", "tls:"]),
    logLevel: oneOf(env, "LOG_LEVEL", "info", LOG_LEVELS),
    logFormat: oneOf(env, "LOG_FORMAT", isTerminal ? "pretty" : "json", ["pretty", "json"]),
    rateLimitRps: integer(env, "RATE_LIMIT_RPS", 0, 0, 1_000_000),
    streamsPerWorkspaceMax: integer(env, "STREAMS_PER_WORKSPACE_MAX", 20_000, 1, 1_000_000),
    tracksPerWorkspaceMax: integer(env, "TRACKS_PER_WORKSPACE_MAX", 10_000, 1, 10_000),
  });
}
