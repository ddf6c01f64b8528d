/**
 * Fuses the waiting scans in pieces, oldest first, until none waits or the step's time is over: a request of thousands of
 * small scans takes several steps, and between them the service answers other requests.
 */
import type { Clock } from "../../lib/clock.ts";
import { STEP_BUDGET_MS } from "../../limits.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import type { Inbox, ScanInput } from "./inbox.ts";

/** A scan's cost grows with the number of tracks, so a piece has about this many pairs of scan and track. */
const PIECE_LOOKS = 160_000;
const PIECE_SCANS_MIN = 16;
const PIECE_SCANS_MAX = 1024;

interface Now {
  readonly clock: Clock;
  readonly tracks: number;
  readonly nowUs: number;
  /** Time of the newest measurement of earlier steps. */
  readonly newestUs: number;
}

/**
 * Calls `note` with each piece before it is fused, so also with a piece that the kernel then fails to fuse. `scansMax`: a
 * replay fuses as many scans as the recorded step did, however long that takes here; null: until none waits or the step's
 * time is over.
 */
export function fuseWaiting(
  inbox: Inbox,
  tracker: Tracker,
  { clock, tracks, nowUs, newestUs }: Now,
  note: (piece: readonly ScanInput[]) => void,
  scansMax: number | null = null,
): void {
  const startedMs = clock.monotonicMs();
  const goesOn = (fusedScans: number) =>
    scansMax === null ? clock.monotonicMs() - startedMs < STEP_BUDGET_MS : fusedScans < scansMax;
  const pieceScans = Math.min(PIECE_SCANS_MAX, Math.max(PIECE_SCANS_MIN, Math.floor(PIECE_LOOKS / (tracks + 1))));
  let fused = 0;
  do {
    const piece = inbox.take(pieceScans, newestUs);
    note(piece);
    // Not past the waiting scans, which would be late then.
    const untilUs = Math.min(nowUs, inbox.earliestUs);
    tracker.advance(
      piece.map(({ scan }) => scan),
      untilUs,
    );
    fused += piece.length;
  } while (!inbox.isEmpty && goesOn(fused));
}
