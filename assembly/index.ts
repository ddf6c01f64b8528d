/** The kernel's exports, and nothing else. Host and kernel exchange data through the memory that layout.ts describes. */
import { ARENA_END } from "./layout";
import { checkArena } from "./arena";
import { mergeTracks, splitTrack } from "./edits";
import { clearExplain, explainPairs, explainTracks, setExplain } from "./explain";
import { readTracks } from "./readout";
import { sweep } from "./retire";
import { clearEnded, endedCount } from "./rows";
import { scan } from "./scan";

export { clearEnded, clearExplain, mergeTracks, readTracks, scan, setExplain, splitTrack, sweep };

/** To be called once after load. The host compares the result with its own reading of layout.ts. */
export function start(): i32 {
  checkArena();
  return ARENA_END;
}

export function endedTracks(): i32 {
  return endedCount;
}

export function explainedPairs(): i32 {
  return explainPairs;
}

export function explainedTracks(): i32 {
  return explainTracks;
}
