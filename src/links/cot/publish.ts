/**
 * Which events to send now: what changed, at most once a second; what did not change, before it goes stale; a stale track or
 * asset, not again; a removed one, once as a removal. Pure except for its memory of what was sent.
 */
import type { PublishedPicture } from "../../room/face.ts";
import { assetEvent, assetStaleMs, removalEvent, speaksForItself, trackEvent, trackStaleMs, uidOf } from "./write.ts";

const PERIOD_MIN_MS = 1000;
/** Half of the shortest life of an event, so that one lost datagram leaves no gap. */
const REPEAT_MS = 7000;

type Picture = Pick<PublishedPicture, "tracks" | "assets">;

export interface CotMessage {
  /** Id of the track or asset. */
  readonly id: string;
  readonly xml: string;
}

/**
 * The tracks to publish. An asset that reports its own position is sent as that asset, so its track is left out. The track of
 * a silent asset is kept: it alone shows where the asset is now.
 */
function tracksToSend({ tracks, assets }: Picture, nowMs: number): Picture["tracks"] {
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
    for (const track of tracksToSend(picture, nowMs))
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

  /** The whole picture for a new client, which then gets a removal for each item that goes. */
  everything(picture: Picture, nowMs: number): CotMessage[] {
    const events: CotMessage[] = [];
    const show = (id: string, staleMs: number, event: string | null) => {
      if (event === null || staleMs <= nowMs) return;
      events.push({ id, xml: event });
      if (!this.#sent.has(id)) this.#sent.set(id, { stamp: "", atMs: 0 });
    };
    for (const track of tracksToSend(picture, nowMs))
      show(track.id, trackStaleMs(track), trackEvent(this.#workspaceId, track));
    for (const asset of picture.assets)
      show(asset.id, assetStaleMs(asset, nowMs), assetEvent(this.#workspaceId, asset, nowMs));
    return events;
  }
}
