/**
 * The picture as bytes: tracks encoded once per version and shared by all readers (GET /api/tracks, the stream's snapshots),
 * and GET /api/picture from the members of all parts. Built when it is read, so that a room without readers costs nothing.
 */
import type { SliceEvent } from "../../domain/events.ts";
import type { Environment } from "../../domain/modality.ts";
import { stampOf } from "../../stream/frames.ts";
import type { OpeningOptions } from "../../stream/opening.ts";
import type { Part } from "../part.ts";
import type { Tracks } from "../tracks/tracks.ts";
import { toWire, type WireContext } from "../tracks/trackWire.ts";
import type { EncodedForces } from "./encodedForces.ts";

interface EncodedRoom {
  readonly environment: Environment;
  readonly generation: number;
  readonly tracks: Tracks;
  /** In the order of the picture's members and of a stream's opening slices. */
  readonly parts: readonly Part[];
  wireContext(nowMs: number): WireContext;
}

export class EncodedPicture {
  readonly forces: EncodedForces;
  readonly #room: EncodedRoom;
  #version = -1;
  #tracksJson = "[]";
  #tracksBody: Uint8Array | null = null;

  constructor(room: EncodedRoom, forces: EncodedForces) {
    this.#room = room;
    this.forces = forces;
  }

  /** The answer to an unfiltered GET /api/assets, envelope included. */
  assetsBody(nowMs: number): Uint8Array {
    return this.forces.assetsBody(nowMs);
  }

  /** Every live track, a JSON array. */
  tracksJson(): string {
    const { tracks } = this.#room;
    if (tracks.version !== this.#version) {
      this.#version = tracks.version;
      // At the time of the change, so that the result does not depend on when it is read first.
      const context = this.#room.wireContext(tracks.changedAtMs);
      this.#tracksJson = JSON.stringify(Array.from(tracks.all(), (track) => toWire(track, context)));
      this.#tracksBody = null;
    }
    return this.#tracksJson;
  }

  /** The whole answer of an unfiltered GET /api/tracks, envelope included. */
  tracksBody(): Uint8Array {
    const tracks = this.tracksJson();
    this.#tracksBody ??= Buffer.from(`{"ok":true,"data":${tracks}}`);
    return this.#tracksBody;
  }

  /** The snapshot and slices that open a stream. */
  get opening(): OpeningOptions {
    return {
      snapshot: () => ({ tracksJson: this.tracksJson(), generation: this.#room.generation }),
      slices: (nowMs) => this.#slices(nowMs),
    };
  }

  #slices(nowMs: number): { readonly name: SliceEvent; readonly json: string }[] {
    return this.#room.parts.flatMap((part) => {
      const { slice: name } = part;
      if (name === null) return [];
      const jsons = part.sliceJsons?.(nowMs) ?? [part.json(nowMs)];
      return jsons.map((json) => ({ name, json: stamped(json, this.#room.environment, nowMs) }));
    });
  }

  /** The answer to GET /api/picture (docs/interface.md#picture), envelope included. */
  pictureBody(nowMs: number): Uint8Array {
    const members = [`"generation":${this.#room.generation}`, `"tracks":${this.tracksJson()}`];
    for (const part of this.#room.parts) members.push(part.json(nowMs).slice(1, -1));
    return Buffer.from(`{"ok":true,"data":${stamped(`{${members.join(",")}}`, this.#room.environment, nowMs)}}`);
  }
}

/** Adds `at` and `env` to a JSON object that has members (docs/interface.md#slices). */
export function stamped(json: string, environment: Environment, nowMs: number): string {
  return `{${stampOf(environment, nowMs)},${json.slice(1)}`;
}
