/** The environment becomes one frozen value, or one sentence that names what is wrong. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigError, readConfig, VARIABLES } from "../../src/config.ts";

const folder = mkdtempSync(join(tmpdir(), "picket-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const SECRET = "s".repeat(32);
const read = (env: Record<string, string>) => readConfig({ DATA_DIR: folder, SESSION_SECRET: SECRET, ...env }, false);

test("[CF-1] unset and empty variables mean the defaults of the contract", () => {
  const empty = Object.fromEntries(VARIABLES.map(({ name }) => [name, ""]));
  const config = read({ ...empty, DATA_DIR: folder, SESSION_SECRET: SECRET });
  expect(config).toEqual(read({}));
  expect(config).toMatchObject({
    host: "127.0.0.1",
    port: 8077,
    databaseUrl: null,
    corsOrigins: [],
    devMode: true,
    smtpUrl: null,
    vehicleControl: true,
    mavlinkUdp: "127.0.0.1:14550",
    logLevel: "info",
    logFormat: "json",
    rateLimitRps: 0,
    streamsPerWorkspaceMax: 20_000,
    tracksPerWorkspaceMax: 10_000,
  });
  expect(Object.isFrozen(config)).toBe(true);
  expect(readConfig({ DATA_DIR: folder, SESSION_SECRET: SECRET }, true).logFormat).toBe("pretty");
});

describe("[CF-2] a value that cannot be used is refused by name", () => {
  const wrong: [string, string][] = [
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["PORT", "http"],
    ["PUBLIC_URL", "example.org"],
    ["CORS_ORIGINS", "*"],
    ["CORS_ORIGINS", "ops.example.org"],
    ["CORS_ORIGINS", "https://ops.example.org/console"],
    ["CORS_ORIGINS", "https://ops.example.org,,https://other.example.org"],
    ["DATABASE_URL", "mysql://localhost/x"],
    ["DEV_MODE", "yes"],
    ["SESSION_SECRET", "short"],
    ["SESSION_SECRET", `${SECRET},${SECRET},${SECRET}`],
    ["SECRET_KEY", "short"],
    ["SMTP_URL", "http://mail.example.org"],
    ["VEHICLE_CONTROL", "maybe"],
    ["MAVLINK_UDP", "14550"],
    ["NATS_URL", "http://localhost"],
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["RATE_LIMIT_RPS", "-1"],
    ["STREAMS_PER_WORKSPACE_MAX", "0"],
    ["TRACKS_PER_WORKSPACE_MAX", "10001"],
  ];
  test.each(wrong)("%s=%s", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(ConfigError);
    expect(() => read({ [name]: value })).toThrow(name);
  });
});

test.each([
  [{}, true],
  [{ HOST: "::1" }, true],
  [{ HOST: "localhost" }, true],
  [{ HOST: "0.0.0.0" }, false],
  [{ HOST: "127.0.0.1.example.org" }, false],
  [{ SMTP_URL: "smtp://localhost" }, false],
  [{ HOST: "0.0.0.0", DEV_MODE: "1" }, true],
  [{ DEV_MODE: "0" }, false],
])("[CF-3] %j gives DEV_MODE %s", (env, devMode) => expect(read(env).devMode).toBe(devMode));

test("[CF-6] CORS_ORIGINS is a list of origins as browsers spell them", () => {
  expect(read({ CORS_ORIGINS: "https://Ops.Example.org:443/, http://localhost:5173" }).corsOrigins).toEqual([
    "https://ops.example.org",
    "http://localhost:5173",
  ]);
});

describe("[CF-4] the session secret", () => {
  test("is generated once and kept for the owner only", () => {
    const env = { DATA_DIR: join(folder, "generated") };
    const [secret] = readConfig(env, false).sessionSecrets;
    expect(secret?.length).toBeGreaterThanOrEqual(32);
    const file = join(env.DATA_DIR, "session.secret");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8").trim()).toBe(secret);
    expect(readConfig(env, false).sessionSecrets).toEqual([secret]);
  });

  test("given as two, the first signs and both verify", () => {
    const next = "n".repeat(40);
    expect(read({ SESSION_SECRET: `${next}, ${SECRET}` }).sessionSecrets).toEqual([next, SECRET]);
  });
});
