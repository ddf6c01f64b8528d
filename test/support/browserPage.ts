/**
 * A page and the service behind one origin, as a site's own proxy would serve them: a page of another origin can neither
 * call the service nor get its cookies. The page's script reports its results, and the proxy the requests that it passed on.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";

/** A request from the browser to the service. */
interface Passed {
  readonly path: string;
  /** `Sec-Fetch-Site`; "" when the browser sent none. */
  readonly site: string;
  readonly hasCookie: boolean;
  readonly status: number;
}

interface Page<Seen> {
  readonly url: string;
  /** The last argument of the script's `tell`. */
  readonly seen: Seen;
  readonly passed: readonly Passed[];
  stop(): Promise<void>;
}

const documentOf = (script: string) => `<!doctype html><title>client</title><body></body><script>
const tell = (seen) => fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
${script}
</script>`;

function textOf(asked: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    asked.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
    });
    asked.on("end", () => resolve(text));
  });
}

function passOn(target: string, asked: IncomingMessage, answer: ServerResponse, done: (passed: Passed) => void): void {
  const { host: _host, ...headers } = asked.headers;
  const onward = request(target + asked.url, { method: asked.method, headers }, (got) => {
    const status = got.statusCode ?? 502;
    const site = String(headers["sec-fetch-site"] ?? "");
    done({ path: asked.url ?? "", site, hasCookie: headers.cookie !== undefined, status });
    answer.writeHead(status, got.headers);
    got.pipe(answer);
    got.on("error", () => answer.destroy());
  });
  onward.on("error", () => answer.destroy());
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
}

/** Serves a page that runs `script`, which reports with `tell(seen)`. `target` is the service. */
export async function servePage<Seen>(target: string, script: string, before: Seen): Promise<Page<Seen>> {
  let seen = before;
  const passed: Passed[] = [];
  const server: Server = createServer(async (asked, answer) => {
    if (asked.url === "/") answer.setHeader("Content-Type", "text/html").end(documentOf(script));
    else if (asked.url === "/seen") {
      seen = JSON.parse(await textOf(asked));
      answer.end();
    } else passOn(target, asked, answer, (one) => passed.push(one));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the page has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    get seen() {
      return seen;
    },
    passed,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
