/** The environment as the service understands it: defaults, faults all at once, secrets, slips, help. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { envExample, settingsTable, withSettingsTable } from "../../scripts/docs/settings.ts";
import { environmentWarnings, readConfig, VARIABLES, variablesHelp } from "../../src/config.ts";
import { ConfigError, type Environment } from "../../src/lib/settings.ts";
import { readDocument } from "../support/documents.ts";

const folder = mkdtempSync(join(tmpdir(), "picket-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const SECRET = "x".repeat(40);
const SECRETS = ["DATABASE_URL", "SESSION_SECRET", "SECRET_KEY", "SMTP_URL", "NATS_URL"];

const read = (env: Record<string, string>) =>
  readConfig({ DATA_DIR: folder, ...("SESSION_SECRET_FILE" in env ? {} : { SESSION_SECRET: SECRET }), ...env }, false);

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    read(env);
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.faults;
    throw fault;
  }
  return [];
}

let files = 0;
function fileOf(content: string): string {
  const path = join(folder, `secret-${files++}`);
  writeFileSync(path, content);
  return path;
}

test("[CF-1] unset and empty variables mean the defaults", () => {
  const empty = Object.fromEntries(VARIABLES.map(({ name }) => [name, ""]));
  const config = read({ ...empty, DATA_DIR: folder, SESSION_SECRET: SECRET });
  expect(config).toEqual(read({}));
  expect(config).toMatchObject({
    host: "127.0.0.1",
    port: 8077,
    publicUrl: null,
    corsOrigins: [],
    databaseUrl: null,
    devMode: true,
    secretKey: null,
    smtpUrl: null,
    mailFrom: "picket@localhost",
    vehicleControl: true,
    mavlinkUdp: "127.0.0.1:14550",
    mavlinkWorkspace: null,
    natsUrl: null,
    logLevel: "info",
    logFormat: "json",
    rateLimitRps: 0,
    streamsPerWorkspaceMax: 20_000,
    tracksPerWorkspaceMax: 10_000,
    workspacesPerUserMax: 20,
  });
  expect(Object.isFrozen(config)).toBe(true);
  expect(readConfig({ DATA_DIR: folder, SESSION_SECRET: SECRET }, true).logFormat).toBe("pretty");
});

describe("[CF-2] a value that cannot be used is refused with a sentence that names the variable", () => {
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
    ["VEHICLE_CONTROL", "constructor"],
    ["MAVLINK_UDP", "14550"],
    ["MAVLINK_UDP", "127.0.0.1:"],
    ["MAVLINK_UDP", "127.0.0.1:99999"],
    ["NATS_URL", "http://localhost"],
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["RATE_LIMIT_RPS", "-1"],
    ["STREAMS_PER_WORKSPACE_MAX", "0"],
    ["TRACKS_PER_WORKSPACE_MAX", "10001"],
    ["WORKSPACES_PER_USER_MAX", "0"],
  ];
  test.each(wrong)("%s=%s", (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  });

  test("all of them in one go, in the order of the table", () => {
    const faults = faultsOf(Object.fromEntries(wrong));
    const order = VARIABLES.map(({ name }) => name);
    const told = faults.map((fault) => fault.split(" ")[0]!);
    expect(told).toEqual([...new Set(wrong.map(([name]) => name))].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
  });

  test("a wrong environment leaves nothing on the disk", () => {
    const dataDir = join(folder, "untouched");
    expect(() => readConfig({ DATA_DIR: dataDir, PORT: "x" }, false)).toThrow(ConfigError);
    expect(existsSync(dataDir)).toBe(false);
  });

  test("a secret is not repeated in the refusal", () => {
    for (const name of SECRETS) expect(faultsOf({ [name]: "hunter2" }).join(), name).not.toContain("hunter2");
  });

  test("the process prints a line for each, the probable slips, and exits 78", () => {
    const env = { PATH: process.env.PATH ?? "", DATA_DIR: folder, PORT: "x", DEV_MODE: "yes", SMPT_URL: "smtp://a" };
    const ended = spawnSync(process.execPath, ["src/main.ts"], { env, encoding: "utf8" });
    expect(ended.status).toBe(78);
    expect(ended.stderr.split("\n")).toEqual([
      'picket: PORT must be a whole number from 0 to 65535, not "x"',
      'picket: DEV_MODE must be one of 0, 1, not "yes"',
      "picket: SMPT_URL is not a setting of this service and is not read; did you mean SMTP_URL?",
      "",
    ]);
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

  test("a damaged secret is refused", () => {
    const dataDir = mkdtempSync(join(folder, "damaged-"));
    writeFileSync(join(dataDir, "session.secret"), "");
    expect(() => readConfig({ DATA_DIR: dataDir }, false)).toThrow(/^DATA_DIR holds a damaged session\.secret/);
  });

  test("a folder that cannot hold the secret is refused with the reason", () => {
    expect(() => readConfig({ DATA_DIR: join(fileOf("x"), "below") }, false)).toThrow(
      /^DATA_DIR \(.*\) cannot be used \(ENOTDIR\)/,
    );
  });
});

test("[CF-6] CORS_ORIGINS is a list of origins as browsers spell them", () => {
  expect(read({ CORS_ORIGINS: "https://Ops.Example.org:443/, http://localhost:5173" }).corsOrigins).toEqual([
    "https://ops.example.org",
    "http://localhost:5173",
  ]);
});

describe("[CF-7] a secret from a file", () => {
  test("is the content without the line break at its end", () => {
    const config = read({
      SESSION_SECRET_FILE: fileOf(`${SECRET}\n`),
      SECRET_KEY_FILE: fileOf("k".repeat(32)),
      DATABASE_URL_FILE: fileOf("postgres://a:b@db/picket\r\n"),
      SMTP_URL_FILE: fileOf("smtps://mail.example.org\n"),
      NATS_URL_FILE: fileOf("nats://127.0.0.1\n"),
    });
    expect(config).toMatchObject({
      sessionSecrets: [SECRET],
      secretKey: "k".repeat(32),
      databaseUrl: "postgres://a:b@db/picket",
      smtpUrl: "smtps://mail.example.org",
      natsUrl: "nats://127.0.0.1",
    });
  });

  test("every secret has one, and nothing else has", () => {
    expect(VARIABLES.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual(SECRETS);
    expect(read({ MAIL_FROM_FILE: fileOf("someone@example.org") }).mailFrom).toBe("picket@localhost");
  });

  test("that is missing, empty, or beside the variable itself is refused", () => {
    const missing = join(folder, "missing");
    const empty = fileOf(" \n");
    expect(faultsOf({ SECRET_KEY_FILE: missing, SMTP_URL_FILE: empty })).toEqual([
      `SECRET_KEY_FILE names ${missing}, which cannot be read (ENOENT)`,
      `SMTP_URL_FILE names ${empty}, which is empty`,
    ]);
    expect(faultsOf({ SECRET_KEY: SECRET, SECRET_KEY_FILE: missing })).toEqual([
      "SECRET_KEY and SECRET_KEY_FILE are both set; set one of them",
    ]);
    expect(faultsOf({ SECRET_KEY_FILE: fileOf("short") })).toEqual([
      expect.stringMatching(/^the content of SECRET_KEY_FILE \(.*\) must have at least 32 characters$/),
    ]);
  });
});

describe("[CF-8] a name that is probably misspelt is warned of with the nearest one", () => {
  const slips: [string, string][] = [
    ["LOG_LEVLE", "LOG_LEVEL"],
    ["log_level", "LOG_LEVEL"],
    ["DATADIR", "DATA_DIR"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["SMPT_URL", "SMTP_URL"],
    ["SESION_SECRET_FILE", "SESSION_SECRET_FILE"],
    ["TRACKS_PER_WORKSPACE", "TRACKS_PER_WORKSPACE_MAX"],
    ["PICKET_LOG_LEVEL", "LOG_LEVEL"],
  ];
  test.each(slips)("%s for %s", (name, meant) => {
    expect(environmentWarnings({ [name]: "x" })).toEqual([
      `${name} is not a setting of this service and is not read; did you mean ${meant}?`,
    ]);
  });

  test("other programs' variables, and what Kubernetes sets beside a service of our name, are not", () => {
    const others =
      "HOSTNAME HOME USER SHELL MAIL PWD PATH LANG LOGNAME NODE_ENV TERM PGPORT PGHOST HTTP_PROXY XDG_DATA_DIRS";
    const env: Environment = Object.fromEntries(others.split(" ").map((name) => [name, "x"]));
    const kubernetes = { PICKET_PORT: "tcp://10.0.0.1:8077", PICKET_SERVICE_HOST: "10.0.0.1" };
    expect(environmentWarnings({ ...env, ...kubernetes, HOST: "::1", SMTP_URL_FILE: "/x", LOG_LEVLE: "" })).toEqual([]);
  });

  test("a file for a variable that is no secret is warned of, and so is a setting that this release ignores", () => {
    expect(environmentWarnings({ PORT_FILE: "/run/port", NATS_URL: "nats://a" })).toEqual([
      "PORT_FILE is not read, because only secrets can come from a file; set PORT itself",
      "NATS_URL is set, but this release ignores it: every node works alone",
    ]);
  });
});

describe("help and documents are the parser's table", () => {
  const readme = readDocument("README.md");
  const example = readDocument(".env.example");

  test("[DO-2] README and .env.example are as npm run docs writes them", () => {
    expect(readme).toBe(withSettingsTable(readme, VARIABLES));
    expect(example).toBe(envExample(VARIABLES));
    expect(settingsTable(VARIABLES).split("\n")).toHaveLength(VARIABLES.length + 2);
  });

  test("[DO-2] every value of .env.example can be used", () => {
    const env = parseEnv(example.replaceAll(/^#(?=[A-Z_]+=)/gm, "")) as Record<string, string>;
    expect(Object.keys(env).toSorted()).toEqual(VARIABLES.map(({ name }) => name).toSorted());
    expect(readConfig({ ...env, DATA_DIR: folder, SESSION_SECRET: SECRET }, false).port).toBe(8077);
  });

  test("[CF-9] help names every variable and default, within the terminal's width", () => {
    const help = variablesHelp(80);
    for (const { name, isSecret } of VARIABLES) expect(help).toContain(`  ${name}${isSecret ? "[_FILE]" : ""}  `);
    for (const line of help.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });
});

test("[CF-10] --settings is read under the environment, and one that cannot be read is refused", () => {
  const main = (env: Record<string, string>, ...args: string[]) =>
    spawnSync(process.execPath, ["src/main.ts", ...args], {
      env: { PATH: process.env.PATH ?? "", DATA_DIR: folder, ...env },
      encoding: "utf8",
    });
  const file = fileOf("# settings\nPORT=file\nLOG_LEVEL=file\n");
  const ended = main({ PORT: "environment", LOG_LEVEL: "" }, "--settings", file);
  expect(ended.stderr).toContain('PORT must be a whole number from 0 to 65535, not "environment"');
  expect(ended.stderr).toContain('LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, not "file"');
  const missing = main({}, "--settings", join(folder, "missing"));
  expect([missing.status, missing.stderr]).toEqual([
    78,
    `picket: --settings names ${join(folder, "missing")}, which cannot be read (ENOENT)\n`,
  ]);
});
