/** A client that knows the picture from its stream alone, by the rules of docs/interface.md, and what it found wrong. */
import type { Room } from "../../../src/room/room.ts";
import { whyNotEvent } from "../eventCheck.ts";

type Members = Record<string, unknown>;

/** Of so many track updates one is held against its description: most are alike. */
const CHECKED_EVERY = 40;

export class StreamClient {
  readonly broken: string[] = [];
  tracks = new Map<string, Members>();
  generation = 0;
  /** Ids of tasks by their last status. */
  readonly tasks = new Map<string, string>();
  /** The slices by name, as told last. */
  readonly #slices = new Map<string, Members>();
  #rest = "";
  #last = -1;
  #seen = 0;

  read(text: string): void {
    const frames = (this.#rest + text).split("\n\n");
    this.#rest = frames.pop()!;
    for (const frame of frames) {
      // A line ends at a line feed; to `.` and `$` it would end at U+2028, too.
      const event = /^event: ([^\n]*)/m.exec(frame)?.[1];
      const data = /^data: ([^\n]*)/m.exec(frame)?.[1];
      if (event !== undefined && data !== undefined) this.#take(event, JSON.parse(data));
    }
  }

  #take(event: string, data: Members): void {
    if (event !== "track_update" || this.#seen++ % CHECKED_EVERY === 0) {
      const why = whyNotEvent({ event, data });
      if (why !== null) this.broken.push(`${event}: ${why}`);
    }
    if (SLICES.has(event)) this.#slices.set(event, { ...this.#slices.get(event), ...data });
    if (event === "snapshot") {
      this.tracks = new Map((data.tracks as Members[]).map((track) => [track.id as string, track]));
      this.generation = this.#last = data.generation as number;
    } else if (typeof data.stream_gen === "number") this.#domain(event, data, data.stream_gen);
  }

  #domain(event: string, data: Members, streamGen: number): void {
    const previous = data.prev_gen as number | null;
    if (previous !== null && previous > this.#last)
      this.broken.push(`event ${streamGen} follows ${previous}, and the client has only got ${this.#last}`);
    if (streamGen <= this.#last) this.broken.push(`event ${streamGen} came after ${this.#last}`);
    this.#last = this.generation = streamGen;
    if (event === "track_removed") this.tracks.delete(data.track_id as string);
    else if (event === "track_update") {
      const track = data.track as Members;
      this.tracks.set(track.id as string, { ...this.tracks.get(track.id as string), ...track });
    } else if (event === "tasking") this.#move((data.task as Members).id as string, null, data.task as Members);
    else if (event === "tasking_status") this.#move(data.task_id as string, data.previous as string, data);
  }

  #move(id: string, previous: string | null, { status }: Members): void {
    const known = this.tasks.get(id);
    if (known !== undefined && ENDS.has(known) && known !== status)
      this.broken.push(
        `the stream told that task ${id} went from ${known} (told as ${previous}) to ${status as string}`,
      );
    this.tasks.set(id, status as string);
  }

  /** Where it differs from the picture, after a time in which nothing new came but what is told late. */
  whyNot(room: Room, nowMs: number): string[] {
    const broken: string[] = [];
    const picture = JSON.parse(Buffer.from(room.encoded.tracksBody()).toString()).data as Members[];
    const [told, shown] = [
      [...this.tracks.keys()].sort().join(),
      picture
        .map(({ id }) => id)
        .sort()
        .join(),
    ];
    if (told !== shown) broken.push(`the stream's tracks are ${told}, the picture's ${shown}`);
    for (const track of picture) {
      const held = this.tracks.get(track.id as string) ?? {};
      for (const name of STEADY)
        if (JSON.stringify(held[name]) !== JSON.stringify(track[name]))
          broken.push(
            `${track.id as string} ${name}: told ${JSON.stringify(held[name])}, is ${JSON.stringify(track[name])}`,
          );
    }
    return [...broken, ...this.#whyNotSlices(room, nowMs)];
  }

  #whyNotSlices(room: Room, nowMs: number): string[] {
    const { data } = JSON.parse(Buffer.from(room.encoded.pictureBody(nowMs)).toString()) as { data: Members };
    return LISTS.flatMap(([slice, list, members]) => {
      const rows = (of: Members | undefined) =>
        ((of?.[list] ?? []) as Members[]).map((row) => JSON.stringify(members.map((name) => row[name]))).sort();
      const [told, shown] = [rows(this.#slices.get(slice)).join("\n"), rows(data).join("\n")];
      return told === shown ? [] : [`${slice} was told as\n${told}\nand the picture has\n${shown}`];
    });
  }
}

const SLICES = new Set(["fleet_slice", "sensor_slice", "integration_slice", "engagement_slice", "live_state"]);
/** What of a slice stands in the picture as it was told, when a second has passed without news. */
const LISTS: readonly (readonly [slice: string, list: string, members: readonly string[]])[] = [
  ["fleet_slice", "assets", ["id", "version", "name", "switches", "commitment", "track_id", "payloads"]],
  ["sensor_slice", "sensors", ["id", "version", "name", "model", "origin"]],
  ["integration_slice", "candidates", ["key", "protocol", "address"]],
  ["integration_slice", "integrations", ["id", "status", "error_code"]],
];
const ENDS = new Set(["succeeded", "failed", "refused", "cancelled", "timed_out", "superseded"]);
/** Members that do not move with every look. */
const STEADY = [
  ...["number", "status", "identity", "identity_basis", "label", "note", "asset_id", "remote_id", "adsb", "env"],
  ...["first_at", "classification", "claim_flags", "domain", "merged_from", "split_from"],
];
