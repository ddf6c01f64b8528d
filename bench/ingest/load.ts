/**
 * Keeps a few connections busy with POST requests, one at a time on each, as fast as the answers come. A lean HTTP client
 * over sockets, because the generator has one core and a general client would need all of it.
 */
import { connect, type Socket } from "node:net";

export interface Post {
  readonly head: Buffer;
  readonly body: Buffer;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Requests by status. */
  readonly statuses: Record<string, number>;
  /** Sums of the counts in the answers, by name. */
  readonly sums: Record<string, number>;
}

const SUMMED = ["accepted", "duplicates", "late", "quarantined", "rejected_count"] as const;

export function headOf(path: string, contentType: string, bodyBytes: number, headers: Record<string, string>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: ${contentType}\r\nContent-Length: ${bodyBytes}\r\n${lines.join("")}\r\n`,
    "latin1",
  );
}

/** `next` returns the next request of a connection, or null when none is due yet. */
export async function runLoad(
  port: number,
  connections: number,
  durationMs: number,
  next: (connection: number) => Post | null,
): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  const sums: Record<string, number> = Object.fromEntries(SUMMED.map((name) => [name, 0]));
  let requests = 0;
  const startMs = performance.now();
  const endMs = startMs + durationMs;
  const note = (answer: string) => {
    requests++;
    const status = answer.slice(9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    for (const name of SUMMED) {
      const at = answer.indexOf(`"${name}":`);
      if (at !== -1) sums[name]! += Number.parseInt(answer.slice(at + name.length + 3), 10);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => drive(port, () => next(i), note, endMs)));
  return { requests, seconds: (performance.now() - startMs) / 1000, statuses, sums };
}

async function drive(
  port: number,
  next: () => Post | null,
  note: (answer: string) => void,
  endMs: number,
): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  try {
    while (performance.now() < endMs) {
      const post = next();
      if (post === null) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const answer = answerOf(socket);
      socket.cork();
      socket.write(post.head);
      socket.write(post.body);
      socket.uncork();
      note(await answer);
    }
  } finally {
    socket.destroy();
  }
}

/** Reads one answer that has a Content-Length. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const done = (error: Error | null) => {
      socket.off("data", onData).off("error", done).off("close", onClose);
      if (error === null) resolve(text);
      else reject(error);
    };
    const onClose = () =>
      done(new Error(`the server closed the connection after ${JSON.stringify(text.slice(0, 200))}`));
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /content-length: (\d+)/i.exec(text.slice(0, headEnd));
      if (text.length >= headEnd + 4 + Number(length?.[1] ?? 0)) done(null);
    };
    socket.on("data", onData).on("error", done).on("close", onClose);
  });
}
