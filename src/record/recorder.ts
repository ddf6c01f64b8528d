/**
 * Listens at the door of one room and writes down what enters, in order, while it enters. Begin it before anything has
 * entered. Knows no file: bytes go to whoever gave `write`.
 */
import type { DoorEntry, RoomFace } from "../room/face.ts";
import { PlainWriter } from "./plainWriter.ts";
import { framed, RECORDING_MAGIC, toRow } from "./recording.ts";

interface RecorderCounts {
  /** Entries written. */
  entries: number;
  bytes: number;
  /** Entries after the end: the first one that `write` did not take, and all that followed. */
  missed: number;
}

export class Recorder {
  readonly counts: RecorderCounts = { entries: 0, bytes: 0, missed: 0 };
  readonly #write: (bytes: Uint8Array) => boolean;
  readonly #writer = new PlainWriter();
  readonly #stop: () => void;
  #isFull = false;

  /** `write` takes the next bytes of the recording; false: no more fits, and the recording ends before them. */
  constructor(room: Pick<RoomFace, "start" | "listen">, write: (bytes: Uint8Array) => boolean) {
    this.#write = write;
    this.#put(RECORDING_MAGIC);
    this.#put(framed(this.#writer.encode(room.start)));
    this.#stop = room.listen({ entered: (entry) => this.#take(entry) });
  }

  /** The recording ends here. */
  stop(): void {
    this.#stop();
  }

  #take(entry: DoorEntry): void {
    if (!this.#isFull) this.#put(framed(this.#writer.encode(toRow(entry))));
    if (this.#isFull) this.counts.missed++;
    else this.counts.entries++;
  }

  #put(bytes: Uint8Array): void {
    // With a gap it would be the recording of another room.
    this.#isFull ||= !this.#write(bytes);
    if (!this.#isFull) this.counts.bytes += bytes.length;
  }
}
