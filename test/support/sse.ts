/** Server-sent events as a client sees them: a parser, a client over fetch, and a sink that tests can make refuse. */
import assert from "node:assert/strict";
import type { Sink } from "../../src/stream/sink.ts";

import { whyNotEvent } from "./eventCheck.ts";

export interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: data as a client parses it, unchecked
  readonly data: any;
}

/** Parses whole frames; returns the text after the last blank line too. Comments and `retry` are left out. */
function parseEvents(text: string): { events: StreamEvent[]; rest: string } {
  const frames = text.split("\n\n");
  const rest = frames.pop()!;
  const events: StreamEvent[] = [];
  for (const frame of frames) {
    const fields = new Map(
      frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
    );
    const event = fields.get("event");
    if (event !== undefined)
      events.push({ event, id: fields.get("id") ?? null, data: JSON.parse(fields.get("data")!) });
  }
  return { events, rest };
}

/** Accepts writes, as the transport does, until a test lets it refuse; a write after a refusal fails the test. */
export class TestSink implements Sink {
  onDrain: (() => void) | null = null;
  onClose: (() => void) | null = null;
  refuses = false;
  blocked = false;
  ended = false;
  text = "";
  writes = 0;

  write(block: Uint8Array): boolean {
    if (this.ended || this.blocked) throw new Error("written to although it refused or ended");
    this.writes++;
    this.text += Buffer.from(block).toString();
    this.blocked = this.refuses;
    return !this.blocked;
  }

  end(): void {
    this.ended = true;
  }

  /** The transport has drained; with `stillRefuses` the next write is refused again. */
  drain(stillRefuses = false): void {
    this.refuses = stillRefuses;
    if (!this.blocked || this.ended) return;
    this.blocked = false;
    this.onDrain?.();
  }

  /** Events since the last call. */
  take(): StreamEvent[] {
    const { events, rest } = parseEvents(this.text);
    this.text = rest;
    return events;
  }
}

interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** The next `wanted` event; the end of the stream is an error. */
  next(wanted?: (event: StreamEvent) => boolean): Promise<StreamEvent>;
  /** Resolves with the remaining comments and events when the server has ended the stream. */
  ended(): Promise<string>;
  close(): Promise<void>;
}

export async function openStream(url: string): Promise<OpenStream> {
  const response = await fetch(url);
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  const waiting: StreamEvent[] = [];
  let rest = "";
  let all = "";
  const read = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    if (done) return false;
    const text = decoder.decode(value, { stream: true });
    all += text;
    const parsed = parseEvents(rest + text);
    rest = parsed.rest;
    for (const event of parsed.events) assert.equal(whyNotEvent(event), null);
    waiting.push(...parsed.events);
    return true;
  };
  return {
    status: response.status,
    headers: response.headers,
    async next(wanted = () => true) {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined && wanted(event)) return event;
        if (event === undefined && !(await read())) throw new Error("the stream ended");
      }
    },
    async ended() {
      while (await read());
      return all;
    },
    close: () => reader.cancel(),
  };
}
