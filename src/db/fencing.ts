/** In whose name a room writes, and the fault of a room that another process has taken over (ADR 0032). */
import { UnavailableError } from "../domain/errors.ts";

/** The room in whose name something is written. */
export interface RoomWriter {
  /** The workspace's id. */
  readonly id: string;
  readonly ownerEpoch: number;
}

/** Another process took the workspace over since this room was opened. Nothing was written; the room must be closed. */
export class FencedError extends UnavailableError {
  override name = "FencedError";
  readonly writer: RoomWriter;

  constructor({ id, ownerEpoch }: RoomWriter) {
    super(`another process has taken workspace ${id} over (this room has epoch ${ownerEpoch})`);
    this.writer = { id, ownerEpoch };
  }
}
