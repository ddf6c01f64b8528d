/**
 * The whole service on free ports and with a data folder of its own, for tests over HTTP, with an embedded database. Every
 * login is a new user with a new workspace, so that tests can share a service.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type Picket, startPicket } from "../../src/app/picket.ts";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/clock.ts";

export interface Asked {
  readonly body?: unknown;
  readonly token?: string;
  readonly key?: string;
  readonly workspace?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body when it is JSON, else null. */
  // biome-ignore lint/suspicious/noExplicitAny: a body as a client parses it, unchecked
  readonly body: any;
}

export interface Member {
  readonly email: string;
  readonly token: string;
  readonly refresh: string;
  readonly userId: string;
  readonly workspaceId: string;
}

export interface TestPicket {
  readonly url: string;
  readonly picket: Picket;
  stop(): Promise<void>;
  /** Signs in, a new person by default, owner of a workspace of their own. */
  login(email?: string): Promise<Member>;
  /** The secret of a new key in a new workspace, or in that of `member`. */
  key(role?: string, member?: Member): Promise<string>;
  /** A string or bytes are sent as they are, anything else as JSON. */
  request(method: string, path: string, asked?: Asked): Promise<Answered>;
}

function headersOf({ body, token, key, workspace, headers }: Asked): Record<string, string> {
  const isValue = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
  return {
    ...(isValue ? { "Content-Type": "application/json" } : {}),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(key === undefined ? {} : { "X-Api-Key": key }),
    ...(workspace === undefined ? {} : { "X-Workspace-Id": workspace }),
    ...headers,
  };
}

export async function ask(url: string, method: string, path: string, asked: Asked = {}): Promise<Answered> {
  const { body } = asked;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const sent = body === undefined ? null : isRaw ? (body as string) : JSON.stringify(body);
  const response = await fetch(url + path, { method, headers: headersOf(asked), body: sent, redirect: "manual" });
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}

export async function startTestPicket(env: Record<string, string> = {}): Promise<TestPicket> {
  const dataDir = mkdtempSync(join(tmpdir(), "picket-test-"));
  const config = readConfig(
    { HOST: "127.0.0.1", PORT: "0", DATA_DIR: dataDir, MAVLINK_UDP: "off", DEV_MODE: "1", ...env },
    false,
  );
  const picket = await startPicket(config, pino({ level: "silent" }), systemClock);
  await picket.db.ready(60_000);
  const request = (method: string, path: string, asked?: Asked) => ask(picket.url, method, path, asked);
  const login = async (email = `${randomBytes(6).toString("hex")}@example.com`): Promise<Member> => {
    const { status, body, text } = await request("POST", "/api/auth/dev-login", { body: { email } });
    if (status !== 200) throw new Error(`dev-login answered ${status}: ${text}`);
    const { session_token: token, refresh_token: refresh, user, workspaces } = body.data;
    return { email, token, refresh, userId: user.id, workspaceId: workspaces[0].id };
  };
  return {
    url: picket.url,
    picket,
    request,
    login,
    async key(role = "operator", member) {
      const { token, workspaceId: workspace } = member ?? (await login());
      const { status, body, text } = await request("POST", "/api/keys", {
        token,
        workspace,
        body: { name: "test", role },
      });
      if (status !== 201) throw new Error(`POST /api/keys answered ${status}: ${text}`);
      return body.data.secret;
    },
    async stop() {
      await picket.stop(2000);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
