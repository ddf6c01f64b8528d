/**
 * The small interface behind which every protocol stands. An adapter opens a link from settings and translates between
 * its bytes and the domain's words; it knows no room, no HTTP, no SQL. Decoders are total: whatever comes in, they count
 * it as bad and go on. A link never throws out of a socket's event, never holds more than its limits, ends at `close`.
 */

import type { LinkCounters } from "../domain/link.ts";
import type { Observed } from "../domain/observed.ts";
import type { CommandProgress, OutgoingCommand, PlatformReport } from "../domain/platformReport.ts";
import type { Clock } from "../lib/clock.ts";
import type { PublishedPicture } from "../room/face.ts";

export interface LinkSettings {
  readonly linkId: string;
  readonly name: string;
  readonly protocol: string;
  readonly transport: string;
  readonly role: "listen" | "connect";
  readonly direction: "in" | "out" | "both";
  /** Host, multicast group or URL, as the protocol takes it. */
  readonly address: string;
  readonly port: number | null;
  /** What only this protocol needs, checked by the adapter's `options` schema. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Signing key, password or token in the clear; null when none is set. Never logged. */
  readonly secret: string | null;
}

/** What the adapter is given of its surroundings; all of it may be called at any time until `close`. */
export interface LinkContext {
  readonly workspaceId: string;
  readonly clock: Clock;
  /** Observations as POST /api/signals takes them, with `source_id`, `modality` and `measured_at`. */
  observe(observations: readonly object[]): Observed;
  /** A platform of ours, or one that may become ours, was heard. */
  report(report: PlatformReport): void;
  /** What became of a command that `send` took. */
  progress(taskId: string, progress: CommandProgress): void;
  /** The live tracks and our assets, for protocols that publish the picture. */
  picture(): PublishedPicture;
  /** Where a live track is now; null: there is none, or it is a bearing only. */
  placeOf(trackId: string): { readonly lat: number; readonly lon: number } | null;
  /** State or error changed: the slice tells it (integration_slice, /api/links). */
  changed(): void;
  readonly log: LinkLog;
}

/** The part of the process log that adapters use; never log a secret or a payload. */
export interface LinkLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export interface LinkStatus {
  /** `connecting` until the socket is there; `up` when it listens or is connected; `lost` while it tries again. */
  readonly state: "never_heard" | "connecting" | "up" | "degraded" | "lost" | "closed";
  /** Milliseconds since the epoch; 0 for never. */
  readonly sinceMs: number;
  readonly lastHeardMs: number;
  /** Why it is not up, for a person; null when it is. */
  readonly error: string | null;
  /** Machine-readable: `port_in_use`, `refused`, `unreachable`, `timeout`, `bad_address`, `bad_answer`, `stale`; null when up. */
  readonly errorCode: string | null;
  /** Where it really listens (port 0 was resolved), or the far end. */
  readonly localPort: number | null;
  readonly rateHz: number | null;
  readonly rttMs: number | null;
  readonly lossPct: number | null;
  /** The far end's clock minus ours; null where nobody knows. */
  readonly offsetMs: number | null;
  /** Sensors heard within the last minute. */
  readonly sources: number;
}

export interface OpenLink {
  readonly counters: LinkCounters;
  status(nowMs: number): LinkStatus;
  /** It could be sent now, without waiting for the answer to another. Absent: always. */
  isFree?(command: OutgoingCommand): boolean;
  /** The task is `sent`. Returns at once; what happens comes through `context.progress`. Only adapters that carry commands have it. */
  send?(command: OutgoingCommand): void;
  /** Work that was begun before: to be watched and answered for, not sent again. false: the platform is not heard yet. */
  resume?(command: OutgoingCommand): boolean;
  /** Asks the platform to drop a command that was sent. false: the platform is not at it, as far as is known here. */
  cancel?(taskId: string): boolean;
  /** The ledger says that it ended: nothing of it may be sent any more. No progress comes of it. */
  drop?(taskId: string): void;
  /** Resolves when the sockets are closed and the timers are cleared. No context call comes after it. */
  close(): Promise<void>;
}

export interface LinkAdapter {
  /** Protocol family key. */
  readonly protocol: string;
  readonly transports: readonly string[];
  readonly defaults: { readonly transport: string; readonly role: "listen" | "connect"; readonly port: number | null };
  /** Verbs that this protocol can carry to a platform; empty for protocols that only listen. */
  readonly verbs: readonly string[];
  /** A sentence when the settings cannot work, null when they can. Checked before a link is stored. */
  refuse(settings: LinkSettings): string | null;
  /**
   * Opens and returns at once; failures show in `status`. Rejects only when the first bind fails: with `PortInUseError`, or
   * with the system's own error for an address that is none of this machine.
   */
  open(settings: LinkSettings, context: LinkContext): Promise<OpenLink>;
}

/** An error of the system's own (bind, lookup), with its code. */
export function isSystemError(fault: unknown): fault is NodeJS.ErrnoException {
  return fault instanceof Error && typeof (fault as NodeJS.ErrnoException).syscall === "string";
}

/** The local address is taken: POST /api/links answers 409 `port_in_use`. */
export class PortInUseError extends Error {
  override name = "PortInUseError";
}
