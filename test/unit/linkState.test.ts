/** When something that reports now and then counts as up, degraded and lost. */
import { expect, test } from "vitest";
import { linkStateOf, type Reporting } from "../../src/domain/platformStates.ts";

const cases: [Reporting, string][] = [
  // Reports once a second: two periods are up, five are lost.
  [{ silentMs: 0, periodMs: 1000 }, "up"],
  [{ silentMs: 2000, periodMs: 1000 }, "up"],
  [{ silentMs: 2001, periodMs: 1000 }, "degraded"],
  [{ silentMs: 5000, periodMs: 1000 }, "degraded"],
  [{ silentMs: 5001, periodMs: 1000 }, "lost"],
  // Reports ten times a second: late at once, lost after five seconds and not sooner.
  [{ silentMs: 201, periodMs: 100 }, "degraded"],
  [{ silentMs: 5000, periodMs: 100 }, "degraded"],
  [{ silentMs: 5001, periodMs: 100 }, "lost"],
  // Reports every ten seconds.
  [{ silentMs: 20_000, periodMs: 10_000 }, "up"],
  [{ silentMs: 50_000, periodMs: 10_000 }, "degraded"],
  [{ silentMs: 50_001, periodMs: 10_000 }, "lost"],
  // A sensor that sends its scans together.
  [{ silentMs: 2500, periodMs: 100, silentMinMs: 2500 }, "up"],
  [{ silentMs: 2501, periodMs: 100, silentMinMs: 2500 }, "degraded"],
  [{ silentMs: 5001, periodMs: 100, silentMinMs: 2500 }, "lost"],
  [{ silentMs: 4000, periodMs: 2000, silentMinMs: 2500 }, "up"],
  // Messages that do not arrive.
  [{ silentMs: 0, periodMs: 1000, lossPct: 10 }, "up"],
  [{ silentMs: 0, periodMs: 1000, lossPct: 10.1 }, "degraded"],
  [{ silentMs: 6000, periodMs: 1000, lossPct: 90 }, "lost"],
];
test.each(cases)("[AS-71] %j is %s", (reporting, state) => expect(linkStateOf(reporting)).toBe(state));
