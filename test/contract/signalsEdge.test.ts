/** POST /api/signals over the real edge, into a room that collects scans: types, encodings, sizes, credentials, refusals. */
import { gzipSync } from "node:zlib";
import { pack } from "msgpackr";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { signalRoutes } from "../../src/features/signals/routes.ts";
import type { Room } from "../../src/room/room.ts";
import { startEdge, type TestEdge } from "../support/server.ts";
import { POSE, SignalsRoom } from "../support/signalsRoom.ts";

let edge: TestEdge;
let room: SignalsRoom;
let isFull = false;

beforeAll(async () => {
  const openWorkspace = () => Object.assign(room, { hasRoomFor: () => !isFull }) as unknown as Room;
  edge = await startEdge(signalRoutes(), { openWorkspace });
});
beforeEach(() => {
  room = new SignalsRoom();
  isFull = false;
});
afterAll(() => edge.close());

const scans = () => ({
  scans: [
    {
      source_id: "r1",
      modality: "radar",
      measured_at: Date.now(),
      sensor_pose: POSE,
      detections: [{ az_deg: 1, range_m: 900 }],
    },
  ],
});

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${edge.url}/api/signals`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "dak_operator", ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    answer: (await response.json()) as { ok: boolean; code?: string; error?: string; data?: Record<string, unknown> },
  };
}

test("[SG-1] a push is answered in the envelope with its counts", async () => {
  const { status, answer } = await post(JSON.stringify(scans()));
  expect([status, answer.ok, answer.data]).toEqual([
    200,
    true,
    {
      accepted: 1,
      duplicates: 0,
      late: 0,
      quarantined: 0,
      rejected: [],
      rejected_count: 0,
      unknown_members: 0,
      tick: 1,
    },
  ]);
});

test.each([
  ["application/json; charset=utf-8", () => JSON.stringify(scans())],
  ["application/x-ndjson", () => `${JSON.stringify(scans().scans[0])}\n`],
  ["application/msgpack", () => new Uint8Array(pack(scans()))],
])("[SG-17] %s is taken, plain and as gzip", async (type, body) => {
  expect((await post(body(), { "content-type": type })).answer.data?.accepted).toBe(1);
  const squeezed = new Uint8Array(gzipSync(body()));
  expect((await post(squeezed, { "content-type": type, "content-encoding": "gzip" })).answer.data?.accepted).toBe(1);
});

test.each([
  ["another type", { "content-type": "text/csv" }],
  ["another encoding", { "content-encoding": "br" }],
])("[C9] %s is 415", async (_what, headers) => {
  expect(await post(JSON.stringify(scans()), headers)).toMatchObject({
    status: 415,
    answer: { code: "unsupported_media" },
  });
});

test("[C9] 8 MiB and one byte is 413, also when it is gzip that unpacks to it", async () => {
  const big = new Uint8Array((8 << 20) + 1).fill(0x20);
  expect(await post(big)).toMatchObject({ status: 413, answer: { code: "payload_too_large" } });
  expect(await post(new Uint8Array(gzipSync(big)), { "content-encoding": "gzip" })).toMatchObject({ status: 413 });
  expect(room.inputs).toEqual([]);
});

test("[SG-5] 100 000 observations are 413", async () => {
  const signals = `{"signals":[${new Array(100_000).fill("{}").join(",")}]}`;
  expect(await post(signals)).toMatchObject({ status: 413, answer: { code: "payload_too_large" } });
});

test("[SG-33] a full inbox is 503 with Retry-After, and nothing is taken", async () => {
  isFull = true;
  const { status, headers, answer } = await post(JSON.stringify(scans()));
  expect([status, answer.code, headers.get("retry-after")]).toEqual([503, "overloaded", "1"]);
  expect([room.inputs.length, [...room.sensors.all()].length]).toEqual([0, 0]);
});

test("[SG-9] live observations in a simulated workspace are 409", async () => {
  room.environment = "sim";
  expect(await post(JSON.stringify(scans()))).toMatchObject({ status: 409, answer: { code: "environment_mismatch" } });
});

test("[SG-4] bad bodies are 400 with the rule, and change nothing", async () => {
  for (const body of [
    "",
    "{",
    "null",
    "[]",
    '{"signals":[{"lat":91}]}',
    `{"signals":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  ]) {
    const { status, answer } = await post(body);
    expect([status, answer.code], body.slice(0, 30)).toEqual([400, "invalid_input"]);
  }
  expect([room.inputs.length, [...room.sensors.all()].length]).toEqual([0, 0]);
});

test("[ED-56] a push without a credential is 401, a viewer's 403", async () => {
  expect(await post(JSON.stringify(scans()), { "x-api-key": "" })).toMatchObject({ status: 401 });
  expect(await post(JSON.stringify(scans()), { "x-api-key": "dak_viewer" })).toMatchObject({
    status: 403,
    answer: { code: "read_only_role" },
  });
});
