/** Paging, walked over the route table: a list that is added without it is found here (docs/interface.md#lists). */
import { beforeAll, describe, expect, test } from "vitest";
import type { Route } from "../../src/http/route.ts";
import { LIST_LIMIT_DEFAULT } from "../../src/limits.ts";
import { useService } from "../support/frontDoor.ts";
import type { Answered } from "../support/picket.ts";

const front = useService();
/** Read from the database a page at a time; every other list answers whole without `limit`. */
const BY_TIME = ["/api/events", "/api/tasks", "/api/keys"];
/** One source that reports as an aircraft moves, for a track and its history. */
const SOURCE = { source_id: "adsb-1", modality: "adsb", icao: "abc123", lon: 8, alt_hae_m: 900 };

interface List {
  readonly path: string;
  readonly route: Route;
}
const lists: List[] = [];

function isList({ method, reply }: Route): boolean {
  return method === "GET" && (reply[200] as { type?: string } | null | undefined)?.type === "array";
}

/** A session: keys may not list keys. */
function get(path: string): Promise<Answered> {
  const { token, workspaceId: workspace } = front.owner;
  return front.service.request("GET", path, { token, workspace });
}

/** The value of every item that tells it from the others and does not change from one read to the next. */
function idsOf({ body }: Answered): string[] {
  return body.data.map((item: Record<string, unknown>) => {
    const { id, key, user_id, at, name, scan_at, sensor_id, scan_id } = item;
    return String(id ?? key ?? user_id ?? at ?? name ?? `${scan_at} ${sensor_id} ${scan_id}`);
  });
}

const nextOf = ({ headers }: Answered) => /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];

async function pagesOf(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: Answered = await get(next);
    expect(page.status, `${next}: ${page.text.slice(0, 200)}`).toBe(200);
    expect(page.headers.get("x-next-cursor") === null).toBe(nextOf(page) === undefined);
    pages.push(idsOf(page));
    next = nextOf(page);
    expect(pages.length).toBeLessThan(200);
  }
  return pages;
}

beforeAll(async () => {
  const { service, owner } = front;
  const session = { token: owner.token, workspace: owner.workspaceId };
  const assets: string[] = [];
  for (let i = 0; i < 4; i++) assets.push(await front.made({ name: `Page ${i}`, catalog_name: "quadrotor" }));
  for (const asset of assets) await front.ask("POST", `/api/assets/${asset}/command`, { verb: "dance" });
  for (let i = 0; i < 3; i++) {
    await service.key("viewer", owner);
    await service.request("POST", "/api/workspaces", { ...session, body: { name: `Other ${i}` } });
    const email = `member${i}@example.com`;
    await service.request("POST", `/api/workspaces/${owner.workspaceId}/members`, {
      ...session,
      body: { email, role: "viewer" },
    });
    const link = { protocol: "sapient_flex335_v2", role: "listen", address: "127.0.0.1", port: 0, name: `link ${i}` };
    await front.ask("POST", "/api/links", link);
    const sensor_pose = { lat: 50, lon: 8, alt_hae_m: 0 };
    const plot = { source_id: `radar-${i}`, modality: "radar", measured_at: Date.now(), az_deg: 90 * i, range_m: 5000 };
    await front.ask("POST", "/api/signals", { ...plot, sensor_pose });
  }
  for (let i = 0; i < 4; i++) {
    const signals = ["abc123", "abc124", "abc125"].map((icao, n) => ({
      ...SOURCE,
      icao,
      lat: 50 + n / 10,
      measured_at: Date.now(),
    }));
    await front.ask("POST", "/api/signals", { signals });
    await new Promise((resolve) => setTimeout(resolve, 1050));
  }
  const track = idsOf(await get("/api/tracks"))[0];
  for (const route of service.picket.routes.filter(isList))
    lists.push({ route, path: route.path.replace("{id}", route.path.includes("tracks") ? track! : owner.workspaceId) });
}, 60_000);

describe("[ED-120] every list of the route table", () => {
  test("takes limit and cursor and describes the next page", async () => {
    expect(lists.length).toBeGreaterThan(10);
    const { paths } = (await get("/api/openapi.json")).body;
    for (const { route } of lists) {
      expect(Object.keys(route.query?.properties ?? {}), route.path).toEqual(
        expect.arrayContaining(["limit", "cursor"]),
      );
      expect(Object.keys(paths[route.path].get.responses[200].headers ?? {}), route.path).toEqual(
        expect.arrayContaining(["Link", "X-Next-Cursor"]),
      );
    }
  });

  test("gives out in pages what it gives out whole, in the same order and each item once", async () => {
    for (const { path } of lists) {
      const whole = idsOf(await get(path));
      expect(whole.length, path).toBeGreaterThan(1);
      expect(new Set(whole).size, path).toBe(whole.length);
      for (const limit of [1, whole.length - 1]) {
        const pages = await pagesOf(`${path}?limit=${limit}`);
        expect(pages.flat(), `${path}?limit=${limit}`).toEqual(whole);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    }
  });

  test("names no next page where a limit takes in everything", async () => {
    for (const { path } of lists) {
      const count = idsOf(await get(path)).length;
      expect(nextOf(await get(`${path}?limit=${count}`)), path).toBeUndefined();
    }
  });

  test("refuses a limit out of range and a cursor that it did not give out, that of another list included", async () => {
    const cursorOf = async (path: string) => (await get(`${path}?limit=1`)).headers.get("x-next-cursor")!;
    for (const [i, { path }] of lists.entries()) {
      const foreign = await cursorOf(lists[(i + 1) % lists.length]!.path);
      for (const query of ["limit=0", "limit=1001", "limit=x", "cursor=%21", "cursor=AA", `cursor=${foreign}`]) {
        const { status, body } = await get(`${path}?${query}`);
        expect([path, query, status, body.code]).toEqual([path, query, 400, "invalid_input"]);
      }
    }
  });
});

test("[ED-121] without limit a list ordered by time is a page of 200, any other is whole", async () => {
  const defaults = lists.map(({ route }) => [route.path, route.query.properties.limit.default]);
  expect(defaults.filter(([, limit]) => limit !== undefined)).toEqual(
    expect.arrayContaining(BY_TIME.map((path) => [path, LIST_LIMIT_DEFAULT])),
  );
  expect(defaults.filter(([, limit]) => limit !== undefined)).toHaveLength(BY_TIME.length);
});

test("[ED-122] an item that is removed between two pages moves no other item into or out of them", async () => {
  const ids = idsOf(await get("/api/assets"));
  const first = await get("/api/assets?limit=2");
  expect(idsOf(first)).toEqual(ids.slice(0, 2));
  for (const gone of [ids[1], ids[2]]) await front.ask("DELETE", `/api/assets/${gone}`);
  expect(idsOf(await get(nextOf(first)!))).toEqual(ids.slice(3, 5));
});

test("[ED-123] assets by distance are paged nearest first", async () => {
  const near = `/api/assets?nearest=50,8`;
  const whole = idsOf(await get(near));
  expect((await pagesOf(`${near}&limit=1`)).flat()).toEqual(whole);
});

test("[ED-124] a page of GeoJSON names the next page in the same headers", async () => {
  const page = await get("/api/tracks?format=geojson&limit=1");
  expect(page.body.features).toHaveLength(1);
  const next = await get(nextOf(page)!);
  expect([next.body.type, next.body.features.length]).toEqual(["FeatureCollection", 1]);
  expect(next.body.features[0].id).not.toBe(page.body.features[0].id);
});
