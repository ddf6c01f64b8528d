/** What the compiler checks of routes and events, so that no test at run time has to: a declared code, status, body, payload. */
import { Type } from "typebox";
import { expect, test } from "vitest";
import { isRefusal, type Refusal, refusal } from "../../src/domain/errors.ts";
import type { SliceMembers } from "../../src/domain/events.ts";
import { codesOf } from "../../src/http/openapi.ts";
import { route } from "../../src/http/route.ts";
import { Hub } from "../../src/stream/hub.ts";

const spec = {
  method: "GET",
  path: "/api/x",
  access: "credential",
  tag: "X",
  summary: "x",
  reply: { 200: Type.Object({ name: Type.String() }) },
} as const;
const data = { name: "x" };

function find(id: string): { name: string } | Refusal<"not_found" | "invalid_state"> {
  if (id === "") return refusal("not_found", "no such thing");
  return id === "x" ? data : refusal("invalid_state", "it is closed");
}

// Each @ts-expect-error is a check of its own: were the next line to compile, `tsc` would report the directive.
test("[ED-100] a handler that refuses with a code its route does not declare does not compile", () => {
  const declared = route({
    ...spec,
    errors: ["not_found", "invalid_state"],
    handle({ refuse, request }) {
      const found = find(request.id);
      return isRefusal(found) ? refuse(found) : { status: 200, data: found };
    },
  });
  expect(codesOf(declared)).toContain("invalid_state");
  route({
    ...spec,
    errors: ["not_found"],
    handle({ refuse, request }) {
      const found = find(request.id);
      // @ts-expect-error `invalid_state` is not declared
      return isRefusal(found) ? refuse(found) : { status: 200, data: found };
    },
  });
  route({
    ...spec,
    errors: ["not_found"],
    // @ts-expect-error `forbidden` is not declared
    handle: ({ refuse }) => refuse("forbidden", "no"),
  });
  route({
    ...spec,
    errors: ["not_found"],
    handle({ refuse }) {
      const any: Refusal = refusal("not_found", "no such thing");
      // @ts-expect-error a refusal of any code may be one that is not declared
      return refuse(any);
    },
  });
});

test("[ED-101] a handler that answers with a status or a body its route does not declare does not compile", () => {
  route({
    ...spec,
    errors: [],
    // @ts-expect-error 201 is not declared
    handle: () => ({ status: 201, data }),
  });
  route({
    ...spec,
    errors: [],
    // @ts-expect-error the schema of 200 has a name
    handle: () => ({ status: 200, data: { title: "x" } }),
  });
  expect(() => route({ ...spec, errors: [], handle: () => ({ status: 200, data }) })).not.toThrow();
});

test("[ST-62] publishing a payload that is not that of its name does not compile", () => {
  const hub = new Hub({ sessionsMax: 1, snapshot: () => ({ tracksJson: "[]", generation: 0 }) });
  const stamp = { at: "2027-01-15T08:00:00.000Z", env: "live", lat_ms: { ingest: null, fuse: null, emit: 0 } } as const;
  const coa = { ...stamp, threat_ids: [], candidate_plans: [], trigger: "timer" } as const;
  hub.publish("coa", { ...coa, threat_ids: [], candidate_plans: [] }, 0);
  // @ts-expect-error a tasking carries a task
  hub.publish("tasking", { ...coa, threat_ids: [], candidate_plans: [] }, 0);
  // @ts-expect-error a domain event carries its time, its environment and its latency
  hub.publish("coa", { threat_ids: [], candidate_plans: [], trigger: "timer" }, 0);
  // @ts-expect-error the sensor slice has sensors
  ({ assets: [] }) satisfies SliceMembers<"sensor_slice">;
  // @ts-expect-error a slice is no domain event
  expect(() => hub.publish("fleet_slice", { assets: [] }, 0)).toThrow("not a domain event");
});
