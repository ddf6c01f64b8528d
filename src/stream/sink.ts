/**
 * Where a stream session writes. The hub knows only this: `http/` implements it on a uWebSockets.js response, tests on an
 * array.
 */
export interface Sink {
  /**
   * Writes one ready-made block in one cork. False: the transport holds it in memory and refuses more; the caller must
   * not write again until `onDrain`.
   */
  write(block: Uint8Array): boolean;
  /** Ends the response; nothing is written after it. Safe to call on a closed sink. */
  end(): void;
  /** Called when the transport's buffer is empty. The callee must write, at least a comment (ADR 0041). */
  onDrain: (() => void) | null;
  /** Called once, when the peer has left or the transport gave up. */
  onClose: (() => void) | null;
}
