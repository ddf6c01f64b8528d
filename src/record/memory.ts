/** A recording in memory, up to so many bytes. */
export class RecordingInMemory {
  readonly #bytesMax: number;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** As a Recorder takes it: false when it does not fit. */
  readonly write = (bytes: Uint8Array): boolean => {
    if (this.#size + bytes.length > this.#bytesMax) return false;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    return true;
  };

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}
