/** Bodies that are cheap to send and were dear to read: what refuses them, and that it costs less than reading them. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseSignals } from "../../src/features/signals/parse.ts";
import { decompress } from "../../src/http/body.ts";
import { parseJson } from "../../src/http/json.ts";
import { BODY_BYTES_MAX, SIGNALS_BODY_BYTES_MAX } from "../../src/limits.ts";

function msOf(run: () => unknown): number {
  const startedMs = performance.now();
  run();
  return performance.now() - startedMs;
}

const bodies: [string, string][] = [
  ["1.7 million empty objects", `{"signals":[${"{},".repeat(1.7e6)}{}]}`],
  ["8 MB of strings that are no JSON", '"a",'.repeat(SIGNALS_BODY_BYTES_MAX / 4)],
];
test.each(bodies)("[ED-133] %s are refused before they are parsed", (_what, text) => {
  const bytes = Buffer.from(text);
  const values = text.startsWith("{") ? text : `[${text}""]`;
  for (const type of ["application/json", "application/x-ndjson"]) {
    expect(parseSignals(bytes, type).refused).toBe(true);
    // The least of several, because other processes may run meanwhile.
    const refuseMs = Math.min(...[0, 1, 2].map(() => msOf(() => parseSignals(bytes, type))));
    const parseMs = Math.min(...[0, 1, 2].map(() => msOf(() => JSON.parse(values))));
    expect(refuseMs).toBeLessThan(parseMs);
  }
});
test("[ED-133] a body of another route is counted, too, and so are the values of MessagePack", () => {
  const parsed = parseJson(Buffer.from(`[${"1,".repeat(200_000)}1]`), 32);
  expect(parsed.refusal?.sentence).toMatch(/more than 100000 values/);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(1_000_000);
  const packed = Buffer.concat([Buffer.from([0xdd]), count, Buffer.alloc(1_000_000, 0xc0)]);
  expect(parseSignals(packed, "application/msgpack")).toMatchObject({
    code: "invalid_input",
    sentence: expect.stringMatching(/more than/),
  });
});
test("[ED-134] gzip that unpacks to far more than it is stops early", async () => {
  const bomb = gzipSync(Buffer.alloc(SIGNALS_BODY_BYTES_MAX, "{},"));
  expect(await decompress(bomb, SIGNALS_BODY_BYTES_MAX)).toMatchObject({ code: "payload_too_large" });
  const plain = Buffer.alloc(BODY_BYTES_MAX, 0x20);
  expect(await decompress(gzipSync(plain), SIGNALS_BODY_BYTES_MAX)).toHaveLength(plain.length);
});
