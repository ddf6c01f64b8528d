/**
 * A page and the service behind one origin, as a site's own proxy would put them: the browser's EventSource can neither
 * send headers nor cross origins. The page follows the client's rules and reports what it saw.
 */
import { createServer, request, type Server } from "node:http";

interface Seen {
  readonly snapshots: number;
  readonly updates: number;
  readonly errors: number;
  readonly mints: number;
}

interface Page {
  readonly url: string;
  /** What the page last reported. */
  readonly seen: Seen;
  stop(): Promise<void>;
}

const script = (key: string, workspace: string) => `
  const seen = { snapshots: 0, updates: 0, errors: 0, mints: 0 };
  const tell = () => fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
  async function open() {
    const headers = { "X-Api-Key": ${JSON.stringify(key)}, "X-Workspace-Id": ${JSON.stringify(workspace)} };
    const answer = await fetch("/api/auth/stream-ticket", { method: "POST", headers });
    const { data } = await answer.json();
    seen.mints++;
    const source = new EventSource("/api/stream?ticket=" + data.ticket);
    source.addEventListener("snapshot", () => { seen.snapshots++; tell(); });
    source.addEventListener("track_update", () => { seen.updates++; tell(); });
    // The ticket is spent: the browser's own reconnect cannot work, so the client closes, mints and opens anew.
    source.onerror = () => { seen.errors++; source.close(); tell(); setTimeout(open, 200); };
  }
  open();
`;

export async function servePage(target: string, key: string, workspace: string): Promise<Page> {
  const page = `<!doctype html><title>client</title><body></body><script>${script(key, workspace)}</script>`;
  let seen: Seen = { snapshots: 0, updates: 0, errors: 0, mints: 0 };
  const server: Server = createServer((asked, answer) => {
    if (asked.url === "/seen") {
      let text = "";
      asked.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      asked.on("end", () => {
        seen = JSON.parse(text);
        answer.end();
      });
      return;
    }
    if (asked.url === "/") {
      answer.setHeader("Content-Type", "text/html").end(page);
      return;
    }
    const { host: _host, ...headers } = asked.headers;
    const onward = request(target + asked.url, { method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
      got.on("error", () => answer.destroy());
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the page has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    get seen() {
      return seen;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
