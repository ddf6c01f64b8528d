/** What became of observations that came by a link: what the signals' rules answer, as links hear it. */
export interface Observed {
  readonly accepted: number;
  /** Not taken: against a rule, too late, in the future, or more than fits. A far clock that is wrong shows here. */
  readonly rejected: number;
  /** Of the first that was not taken, for a person; null: all were. */
  readonly why: string | null;
}
