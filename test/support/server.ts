/**
 * An edge on a free port with made-up routes and a made-up registry, for tests of the edge alone. The real wiring is
 * src/main.ts.
 */
import net from "node:net";
import { pino } from "pino";
import type { Principal, Role } from "../../src/domain/access.ts";
import { type Refusal, refusal } from "../../src/domain/errors.ts";
import type { EdgeParts } from "../../src/http/edgeParts.ts";
import { createEdgeMetrics } from "../../src/http/metrics.ts";
import type { Route } from "../../src/http/route.ts";
import { type Server, startServer } from "../../src/http/server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Room } from "../../src/room/room.ts";

export const HOME = "wsp_home";
export const OTHER = "wsp_other";

export interface TestEdge extends Server {
  /** Log lines as objects. */
  readonly lines: Record<string, unknown>[];
}

function user(role: Role): Principal {
  return {
    kind: "user",
    userId: `usr_${role}`,
    email: `${role}@example.com`,
    name: role,
    sessionId: "s",
    memberships: new Map([[HOME, role]]),
  };
}

/**
 * Session tokens are role names; API keys are `dak_` and a role name, all of HOME. The prefix `slow_` makes either
 * asynchronous.
 */
function authenticate(bearer: string, apiKey: string): Principal | Refusal | Promise<Principal | Refusal> {
  const token = bearer || apiKey;
  if (token.startsWith("slow_")) {
    const rest = token.slice(5);
    return new Promise((resolve) => setTimeout(() => resolve(authenticate(bearer && rest, apiKey && rest)), 5));
  }
  if (token === "unavailable") return Promise.reject(new Error("registry fell over"));
  const role = (bearer || apiKey.replace("dak_", "")) as Role;
  if (!["owner", "admin", "approver", "operator", "viewer"].includes(role))
    return refusal("unauthenticated", "no such credential");
  if (bearer) return user(role);
  return { kind: "key", keyId: `key_${role}`, name: role, workspaceId: HOME, role };
}

export async function startEdge(routes: readonly Route[], changes: Partial<EdgeParts> = {}): Promise<TestEdge> {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    routes,
    authenticate,
    openWorkspace: (id) => ({ id, ownerEpoch: 0, generation: 1, environment: "live" }) as Room,
    log,
    clock: systemClock,
    metrics: createEdgeMetrics(),
    ...changes,
  });
  return { ...server, lines };
}

/** Turns of the event loop that a stalled process gets to read arrived bytes, before the peer counts as silent. */
const QUIET_TURNS = 10;

/** Writes raw bytes and returns the answer up to the peer's close or a silence of `quietMs`. */
export function rawExchange(
  port: number,
  parts: string | Uint8Array | readonly (string | Uint8Array)[],
  quietMs = 150,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    let received = "";
    let timer: NodeJS.Timeout;
    const endIfQuiet = async (atLength: number) => {
      for (let turn = 0; turn < QUIET_TURNS; turn++) await new Promise((next) => setImmediate(next));
      if (received.length === atLength) socket.destroy();
    };
    const waitFor = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => void endIfQuiet(received.length), ms);
    };
    waitFor(quietMs + 1000);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      waitFor(quietMs);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
    for (const part of Array.isArray(parts) ? parts : [parts]) socket.write(part as string);
  });
}
