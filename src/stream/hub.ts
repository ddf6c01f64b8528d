/** DRAFT; see the stream helper's brief. */
export interface Hub {
  readonly sessions: number;
}
