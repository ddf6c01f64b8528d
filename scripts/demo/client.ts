/** The calls of a client that feeds the service: wait for it, sign in, make a key, push scans, read tracks. */
import { DATABASE_START_WAIT_MS } from "../../src/limits.ts";

export interface Access {
  readonly url: string;
  readonly key: string;
  readonly workspaceId: string;
}

/** The first request may have to wait for a database that is starting. */
const ANSWER_DEADLINE_MS = DATABASE_START_WAIT_MS + 10_000;

async function call<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_DEADLINE_MS) });
  const answer = (await response.json()) as { ok: true; data: T } | { ok: false; error: string; code: string };
  if (!answer.ok)
    throw new Error(`${new URL(url).pathname} answered ${response.status} ${answer.code}: ${answer.error}`);
  return answer.data;
}

function post<T>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  return call(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** False when the service does not answer yet. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

/** Signs in the DEV_MODE way and makes an API key for the first workspace. */
export async function signIn(url: string, email: string, keyName: string): Promise<Access> {
  const session = await post<{ session_token: string; workspaces: { id: string }[] }>(`${url}/api/auth/dev-login`, {
    email,
  });
  const workspaceId = session.workspaces[0]?.id;
  if (workspaceId === undefined) throw new Error(`${email} is a member of no workspace`);
  const headers = { authorization: `Bearer ${session.session_token}`, "x-workspace-id": workspaceId };
  const key = await post<{ secret: string }>(`${url}/api/keys`, { name: keyName }, headers);
  return { url, key: key.secret, workspaceId };
}

interface Pushed {
  readonly accepted: number;
  readonly rejected_count: number;
}

export function pushScans(access: Access, scans: readonly object[]): Promise<Pushed> {
  return post(`${access.url}/api/signals`, { scans }, { "x-api-key": access.key });
}

export function readTracks(access: Access): Promise<{ status: string }[]> {
  return call(`${access.url}/api/tracks`, { headers: { "x-api-key": access.key } });
}
