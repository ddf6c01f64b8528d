/**
 * Which events are due to whom: what changed, at most once a second; what stands still, before it goes stale; what is stale, not
 * again; what is gone, once, as a removal. Pure but for what it remembers of the last round.
 */
import type { PublishedPicture } from "../../room/face.ts";
import { assetEvent, assetStaleMs, removalEvent, speaksForItself, trackEvent, trackStaleMs, uidOf } from "./write.ts";

const PERIOD_MIN_MS = 1000;
/** Repeated at half of the shortest life, so that one lost datagram is no gap. */
const REPEAT_MS = 7000;

type Picture = Pick<PublishedPicture, "tracks" | "assets">;

export interface CotMessage {
  /** Of the track or the asset that it tells of. */
  readonly id: string;
  readonly xml: string;
}

/**
 * One of ours that speaks for itself is told under its own name, not once more as the track that follows it. A silent one
 * is told as last heard, and its track is the only word on where it is now.
 */
function tracksToTell({ tracks, assets }: Picture, nowMs: number): Picture["tracks"] {
  const speaking = new Set<string>();
  for (const asset of assets) if (speaksForItself(asset, nowMs)) speaking.add(asset.id);
  return tracks.filter(({ asset_id: assetId }) => assetId === null || !speaking.has(assetId));
}

interface Sent {
  readonly stamp: string;
  readonly atMs: number;
}

export class CotPublisher {
  readonly #workspaceId: string;
  readonly #sent = new Map<string, Sent>();

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  due(picture: Picture, nowMs: number): CotMessage[] {
    const events: CotMessage[] = [];
    const live = new Set<string>();
    const offer = (id: string, staleMs: number, stamp: string, write: () => string | null) => {
      live.add(id);
      if (staleMs <= nowMs) return;
      const sent = this.#sent.get(id);
      if (sent !== undefined && nowMs - sent.atMs < (sent.stamp === stamp ? REPEAT_MS : PERIOD_MIN_MS * 0.9)) return;
      const event = write();
      if (event === null) return void live.delete(id);
      this.#sent.set(id, { stamp, atMs: nowMs });
      events.push({ id, xml: event });
    };
    for (const track of tracksToTell(picture, nowMs))
      offer(track.id, trackStaleMs(track), `${track.updated_at} ${track.identity}`, () =>
        trackEvent(this.#workspaceId, track),
      );
    for (const asset of picture.assets)
      offer(asset.id, assetStaleMs(asset, nowMs), `${asset.version} ${asset.motion?.at} ${asset.link.state}`, () =>
        assetEvent(this.#workspaceId, asset, nowMs),
      );
    for (const id of this.#sent.keys()) {
      if (live.has(id)) continue;
      this.#sent.delete(id);
      events.push({ id, xml: removalEvent(uidOf(this.#workspaceId, id), nowMs) });
    }
    return events;
  }

  /** All that is live, for a client that has just come; it will be told when something of it goes. */
  everything(picture: Picture, nowMs: number): CotMessage[] {
    const events: CotMessage[] = [];
    const show = (id: string, staleMs: number, event: string | null) => {
      if (event === null || staleMs <= nowMs) return;
      events.push({ id, xml: event });
      if (!this.#sent.has(id)) this.#sent.set(id, { stamp: "", atMs: 0 });
    };
    for (const track of tracksToTell(picture, nowMs))
      show(track.id, trackStaleMs(track), trackEvent(this.#workspaceId, track));
    for (const asset of picture.assets)
      show(asset.id, assetStaleMs(asset, nowMs), assetEvent(this.#workspaceId, asset, nowMs));
    return events;
  }
}
