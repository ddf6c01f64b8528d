/**
 * The interface of every protocol. An adapter opens a link from settings and translates between its bytes and the domain's
 * types; it knows no room, no HTTP, no SQL. Decoders are total: input that they cannot read is counted as bad. A link never
 * throws out of a socket's event, never keeps more than its limits allow, and stops at `close`.
 */
import type { LinkCounters } from "../domain/link.ts";
import type { CommandProgress, Observed, OutgoingCommand, PlatformReport } from "../domain/platformReport.ts";
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
  /** Settings of this protocol only, checked by the adapter's `refuse`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Signing key, password or token in the clear; null when none is set. Never logged. */
  readonly secret: string | null;
}

/** What the host gives an adapter. Every member may be called at any time until `close`. */
export interface LinkContext {
  readonly workspaceId: string;
  readonly clock: Clock;
  /** Observations as POST /api/signals takes them, with `source_id`, `modality` and `measured_at`. */
  observe(observations: readonly object[]): Observed;
  /** News of a platform that is ours or may become ours. */
  report(report: PlatformReport): void;
  /** What happened to a command that `send` took. */
  progress(taskId: string, progress: CommandProgress): void;
  /** The live tracks and our assets, for protocols that publish the picture. */
  picture(): PublishedPicture;
  /** Present position of a live track; null: there is no such track, or only a bearing to it. */
  placeOf(trackId: string): { readonly lat: number; readonly lon: number } | null;
  /** The link's state or error changed; `integration_slice` and /api/links show it. */
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
  /**
   * Machine-readable: `port_in_use`, `refused`, `unreachable`, `timeout`, `bad_address`, `bad_answer`, `stale`; null when up.
   */
  readonly errorCode: string | null;
  /** The port on which it listens (port 0 is resolved), or that of the far end. */
  readonly localPort: number | null;
  readonly rateHz: number | null;
  readonly rttMs: number | null;
  readonly lossPct: number | null;
  /** The far end's clock minus ours; null: unknown. */
  readonly offsetMs: number | null;
  /** Sensors heard within the last minute. */
  readonly sources: number;
}

export interface OpenLink {
  readonly counters: LinkCounters;
  status(nowMs: number): LinkStatus;
  /** Whether the command could be sent now, without waiting for the ack of another one. Absent: always. */
  isFree?(command: OutgoingCommand): boolean;
  /**
   * Sends a command whose task is `sent`. Returns at once and reports through `context.progress`. Absent: the protocol carries
   * no commands.
   */
  send?(command: OutgoingCommand): void;
  /**
   * Takes over work that was begun earlier: watches it and reports its end, but does not send it again. false: no telemetry of
   * the platform yet.
   */
  resume?(command: OutgoingCommand): boolean;
  /** Asks the platform to stop what it was sent. false: as far as the link knows it is not doing it. */
  cancel?(taskId: string): boolean;
  /** The ledger ended the task: sends nothing more of it and reports nothing more. */
  drop?(taskId: string): void;
  /** Resolves when the sockets are closed and the timers cleared. It calls nothing of the context afterwards. */
  close(): Promise<void>;
}

export interface LinkAdapter {
  /** Protocol family key. */
  readonly protocol: string;
  readonly transports: readonly string[];
  readonly defaults: { readonly transport: string; readonly role: "listen" | "connect"; readonly port: number | null };
  /** Verbs that this protocol can carry to a platform; empty for protocols that only listen. */
  readonly verbs: readonly string[];
  /** Why the settings cannot work, as a sentence; null: they can. Asked before a link is stored. */
  refuse(settings: LinkSettings): string | null;
  /**
   * Opens and returns at once; failures show in `status`. Rejects only when the first bind fails: with `PortInUseError`, or
   * with the system's error for an address that this machine does not have.
   */
  open(settings: LinkSettings, context: LinkContext): Promise<OpenLink>;
}

/** An error of the operating system (bind, lookup), with its code. */
export function isSystemError(fault: unknown): fault is NodeJS.ErrnoException {
  return fault instanceof Error && typeof (fault as NodeJS.ErrnoException).syscall === "string";
}

/** Another program has the local address: POST /api/links answers 409 `port_in_use`. */
export class PortInUseError extends Error {
  override name = "PortInUseError";
}
