/**
 * Where a stream session writes. The hub knows this and no socket; `http/` makes it from a uWebSockets.js response,
 * tests make it from an array.
 */
export interface Sink {
  /**
   * Writes one ready-made block in one cork. False: the transport holds it in memory and refuses more; the caller must
   * not write again until `onDrain`.
   */
  write(block: Uint8Array): boolean;
  /** Ends the response; nothing is written after it. Safe to call on a closed sink. */
  end(): void;
  /** Called when the transport took all that it held. Write in it (ADR 0041): at least a comment. */
  onDrain: (() => void) | null;
  /** Called once, when the peer has gone or the transport gave up. */
  onClose: (() => void) | null;
}
