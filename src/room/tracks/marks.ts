/** An operator's marks on a track: identity, label and note. They last as long as the track. */
import type { Identity } from "../../domain/track.ts";
import type { LiveTrack } from "./liveTrack.ts";

interface Marks {
  readonly identity?: Identity | null | undefined;
  readonly label?: string | null | undefined;
  readonly note?: string | null | undefined;
}

/** An absent member stays; null removes it. Without an operator's identity the automatic rules apply again. */
export function mark(track: LiveTrack, { identity, label, note }: Marks): void {
  if (identity !== undefined) {
    track.identityBasis = identity === null ? "none" : "operator";
    if (identity !== null) track.identity = identity;
    track.changedMembers.add("identity_basis");
  }
  if (label !== undefined) {
    track.label = label;
    track.changedMembers.add("label");
  }
  if (note !== undefined) {
    track.note = note;
    track.changedMembers.add("note");
  }
}

/** The kept track of a merge takes over the marks of the other that it does not have itself. */
export function inheritMarks(kept: LiveTrack, other: LiveTrack): void {
  if (kept.identityBasis !== "operator" && other.identityBasis === "operator") mark(kept, { identity: other.identity });
  if (kept.label === null && other.label !== null) mark(kept, { label: other.label });
  if (kept.note === null && other.note !== null) mark(kept, { note: other.note });
}
