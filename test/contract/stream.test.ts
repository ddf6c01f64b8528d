/** Tickets, the stream and the picture through the front door: real edge, real database, real sockets. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KINDS } from "../../src/domain/events.ts";
import { type Member, startTestPicket, type TestPicket } from "../support/picket.ts";
import { openStream, type StreamEvent } from "../support/sse.ts";

let service: TestPicket;
let member: Member;
beforeAll(async () => {
  service = await startTestPicket();
  member = await service.login();
});
afterAll(() => service.stop());

type Credential = { readonly token?: string; readonly key?: string };

async function mint(credential: Credential = { token: member.token }, workspace = member.workspaceId): Promise<string> {
  const { status, body } = await service.request("POST", "/api/auth/stream-ticket", { ...credential, workspace });
  expect(status).toBe(200);
  return body.data.ticket;
}

const streamUrl = (ticket: string, kinds?: string) =>
  `${service.url}/api/stream?ticket=${ticket}${kinds === undefined ? "" : `&kinds=${kinds}`}`;

function signal(lat: number, measuredAt = Date.now()) {
  const sensor_pose = { lat: 52, lon: 4, alt_hae_m: 0, yaw_deg: 0 };
  return {
    source_id: "adsb-1",
    modality: "adsb",
    measured_at: measuredAt,
    sensor_pose,
    icao: "abc123",
    lat,
    lon: 4,
    alt_hae_m: 100,
  };
}

describe("the ticket", () => {
  test("[ED-9] minting a ticket needs a credential and X-Workspace-Id, from a key, too", async () => {
    const key = await service.key("viewer", member);
    const path = "/api/auth/stream-ticket";
    const answers = await Promise.all([
      service.request("POST", path, { token: member.token }),
      service.request("POST", path, { key }),
      service.request("POST", path, { workspace: member.workspaceId }),
      service.request("POST", path, { key, workspace: member.workspaceId }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [400, "invalid_input"],
      [400, "invalid_input"],
      [401, "unauthenticated"],
      [200, undefined],
    ]);
    const { ticket, expires_at, workspace_id } = answers[3]!.body.data;
    expect(ticket).toMatch(/^stk_/);
    expect(workspace_id).toBe(member.workspaceId);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 60_000)).toBeLessThan(5000);
  });
  test("[ST-40] of two hundred parallel opens with one ticket exactly one succeeds", async () => {
    const ticket = await mint();
    const opened = await Promise.all(Array.from({ length: 200 }, () => openStream(streamUrl(ticket))));
    const statuses = opened.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(199);
    await Promise.all(opened.map((stream) => stream.close()));
  });
  test("[ST-41] absent, unknown and truncated tickets are 401 ticket_invalid", async () => {
    const ticket = await mint();
    for (const query of ["", "?ticket=", "?ticket=stk_nope", `?ticket=${ticket.slice(0, -1)}`]) {
      const { status, body } = await service.request("GET", `/api/stream${query}`);
      expect([query, status, body.code]).toEqual([query, 401, "ticket_invalid"]);
    }
  });
  test("[ST-42] an unknown kind is 400, names the valid ones and does not spend the ticket", async () => {
    const ticket = await mint();
    const { status, body } = await service.request("GET", `/api/stream?ticket=${ticket}&kinds=track_update,tracks`);
    expect([status, body.code]).toEqual([400, "invalid_input"]);
    for (const kind of KINDS) expect(body.error).toContain(kind);
    const stream = await openStream(streamUrl(ticket, "track_update"));
    expect(stream.status).toBe(200);
    await stream.close();
  });
});

describe("the stream", () => {
  test("[ST-1] one snapshot first, then events as they happen, in an unbroken chain of numbers", async () => {
    const stream = await openStream(streamUrl(await mint()));
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    const snapshot = await stream.next();
    expect([snapshot.event, Array.isArray(snapshot.data.tracks)]).toEqual(["snapshot", true]);
    let known: number = snapshot.data.generation;
    const push = setInterval(() => {
      const at = Date.now();
      void service.request("POST", "/api/signals", {
        token: member.token,
        workspace: member.workspaceId,
        body: signal(52.01 + (at % 60_000) * 1e-7, at),
      });
    }, 100);
    try {
      const seen = new Set<string>();
      while (!seen.has("track_update") || !seen.has("obs")) {
        const { event, data, id } = await stream.next((it) => it.data.stream_gen !== undefined);
        seen.add(event);
        expect(data.prev_gen === null || data.prev_gen <= known).toBe(true);
        expect(data.stream_gen).toBeGreaterThan(known);
        expect([id, data.env, typeof data.at]).toEqual([String(data.stream_gen), "live", "string"]);
        known = data.stream_gen;
      }
    } finally {
      clearInterval(push);
      await stream.close();
    }
    const picture = await service.request("GET", "/api/picture", {
      token: member.token,
      workspace: member.workspaceId,
    });
    expect(picture.status).toBe(200);
    expect(picture.body.data.generation).toBeGreaterThanOrEqual(known);
    expect(picture.body.data.tracks.length).toBeGreaterThan(0);
  });
  test("[ST-49] an asset registered between a client's picture and its stream is on the stream", async () => {
    const credential = { token: member.token, workspace: member.workspaceId };
    const other = await openStream(streamUrl(await mint()));
    await service.request("GET", "/api/picture", credential);
    for (const body of [
      { name: "Between", catalog_name: "quadrotor" },
      { name: "Mast", catalog_name: "radar-3d-short", placement: { lat: 52, lon: 4, alt_hae_m: 10 } },
    ])
      expect((await service.request("POST", "/api/assets", { ...credential, body })).status).toBe(201);
    const namesOf = (list: { name: string }[] | undefined) => (list ?? []).map(({ name }) => name);
    const awaited = new Set(["Between", "Mast"]);
    while (awaited.size > 0)
      for (const { assets, sensors } of [(await other.next()).data])
        for (const name of namesOf(assets ?? sensors)) awaited.delete(name);
    const stream = await openStream(streamUrl(await mint(), ""));
    expect((await stream.next()).event).toBe("snapshot");
    const told: StreamEvent[] = [];
    while (told.at(-1)?.event !== "integration_slice") told.push(await stream.next());
    const dataOf = (name: string) => told.filter(({ event }) => event === name).map(({ data }) => data);
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set([null]));
    expect(namesOf(dataOf("fleet_slice").at(-1).assets)).toContain("Between");
    expect(namesOf(dataOf("sensor_slice").at(-1).sensors)).toContain("Mast");
    expect(Object.keys(told.at(-1)!.data)).toEqual(["at", "env", "integrations", "candidates"]);
    const members = dataOf("live_state").map((data) => Object.keys(data).join());
    expect(new Set(members)).toEqual(new Set(["at,env,engagement_mode", "at,env,fusion_health"]));
    await Promise.all([stream.close(), other.close()]);
  });
  test("[ST-43] a stream gets no event of another workspace", async () => {
    const other = await service.login();
    const theirs = await mint({ token: other.token }, other.workspaceId);
    const stream = await openStream(streamUrl(theirs));
    expect((await stream.next()).data).toEqual({
      at: expect.any(String),
      env: "live",
      tracks: [],
      generation: expect.any(Number),
    });
    await stream.close();
  });
  test("[ST-44] a stream and the tickets of a key end with the key", async () => {
    const created = await service.request("POST", "/api/keys", {
      token: member.token,
      workspace: member.workspaceId,
      body: { name: "short", role: "viewer" },
    });
    const credential = { key: created.body.data.secret as string };
    const stream = await openStream(streamUrl(await mint(credential)));
    const unused = await mint(credential);
    await stream.next();
    const asMember = { token: member.token, workspace: member.workspaceId };
    const listed = await service.request("GET", "/api/keys", asMember);
    const { id } = listed.body.data.find((one: { name: string }) => one.name === "short");
    expect((await service.request("DELETE", `/api/keys/${id}`, asMember)).status).toBe(204);
    expect(await stream.ended()).toContain(": the API key was revoked");
    expect((await service.request("GET", `/api/stream?ticket=${unused}`)).status).toBe(401);
  });
});
