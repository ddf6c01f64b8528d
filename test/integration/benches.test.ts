/** Every bench runs, small, so that it cannot rot; its figures are looked at with `npm run bench`. */
import { expect, test } from "vitest";
import { findBenches } from "../../bench/benches.ts";

test.each(findBenches())("[BE-1] $name gives right answers at the small size", async ({ run }) => {
  const report = await run("small");
  expect(report, JSON.stringify(report)).toMatchObject({ ok: true });
});
