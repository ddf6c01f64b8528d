/** A link as its host keeps it: open, or stored and not open. */
import { newCounters } from "../domain/link.ts";
import type { LinkSettings, OpenLink } from "./adapter.ts";

export interface HeldLink {
  readonly workspaceId: string;
  readonly settings: LinkSettings;
  readonly assetId: string | null;
  readonly secretPrefix: string | null;
  readonly createdAtMs: number | null;
  readonly open: OpenLink;
}

/** The stored facts of a link besides its settings. */
export type LinkOrigin = Omit<HeldLink, "workspaceId" | "settings" | "open">;

/** Takes the place of a stored link that could not be opened, so that it is listed with the reason and can be deleted. */
export class ClosedLink implements OpenLink {
  readonly counters = newCounters();
  readonly #sinceMs: number;
  readonly #errorCode: string | null;
  readonly #error: string | null;

  constructor(sinceMs: number, errorCode: string | null, error: string | null) {
    this.#sinceMs = sinceMs;
    this.#errorCode = errorCode;
    this.#error = error;
  }

  status() {
    return {
      state: "closed" as const,
      sinceMs: this.#sinceMs,
      lastHeardMs: 0,
      error: this.#error,
      errorCode: this.#errorCode,
      localPort: null,
      rateHz: null,
      rttMs: null,
      lossPct: null,
      offsetMs: null,
      sources: 0,
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
