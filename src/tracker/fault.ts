/** The kernel trapped: an operating fault of one room. */
import type { TrackerEntry } from "./entries.ts";

/** The tracker refuses further use until `rebuild` has been called. */
export class TrackerFault extends Error {
  override name = "TrackerFault";
  /** `running`: what the kernel could not take; null when a sweep or a read trapped. */
  constructor(running: TrackerEntry | null, cause: unknown) {
    super(`the tracker kernel trapped ${whereOf(running)}`, { cause });
  }
}

function whereOf(running: TrackerEntry | null): string {
  if (running === null) return "between scans";
  const what = running.kind === "scan" ? `a scan of ${running.sourceId}` : `an operator's ${running.kind} of tracks`;
  return `in ${what} at ${running.timeUs} us`;
}
