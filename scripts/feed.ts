/**
 * `npm run feed -- --url URL --key KEY --input FILE`: sends a recorded or simulated scenario through POST /api/signals, in
 * real time and with its times moved to now. Uses the HTTP interface alone, so a client can do the same.
 */
import { pack } from "msgpackr";
import { signIn } from "./demo/client.ts";
import { countDue, lengthS, openRun, type Run, speedFor, toPush } from "./feed/replay.ts";
import { readScenario, type Scenario, ScenarioError } from "./scenario.ts";
import { readArguments, refuseUsage } from "./usage.ts";

const USAGE = `npm run feed -- --input FILE [--url URL] [--key KEY] [--rate N | --speed X] [--msgpack] [--loop]

  --input FILE   a scenario in the neutral format, plain or gzip
  --url URL      the service, http://127.0.0.1:8077 by default
  --key KEY      an API key; without one, dev-login is tried (DEV_MODE)
  --rate N       N observations a second: the scenario plays as much faster or slower as that takes
  --speed X      X times as fast as it happened; targets then move X times as fast
  --msgpack      MessagePack instead of JSON
  --loop         again from the start, until Ctrl-C`;

const PUSH_PERIOD_MS = 50;
const ANSWER_DEADLINE_MS = 15_000;
const ATTEMPTS_MAX = 20;
const BAR_WIDTH = 30;

/** A fault that the person at the terminal can mend; the message says what failed, why, and what to do. */
class FeedError extends Error {
  override name = "FeedError";
}

interface Options {
  readonly url: string;
  readonly key: string;
  readonly msgpack: boolean;
}

const totals = { accepted: 0, duplicates: 0, late: 0, quarantined: 0, rejected: 0, requests: 0 };
let firstRejection = "";
let stopped = false;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Answer {
  readonly ok: boolean;
  readonly error?: string;
  readonly code?: string;
  readonly data?: {
    accepted: number;
    duplicates: number;
    late: number;
    quarantined: number;
    rejected_count: number;
    rejected: { error: string; code: string }[];
  };
}

/** Tries again when the inbox is full or the connection was lost: a repeated id is not taken twice. */
async function push(options: Options, scans: readonly object[]): Promise<void> {
  const body = options.msgpack ? new Uint8Array(pack({ scans })) : JSON.stringify({ scans });
  const type = options.msgpack ? "application/msgpack" : "application/json";
  for (let attempt = 1; ; attempt++) {
    let response: Response;
    try {
      response = await fetch(`${options.url}/api/signals`, {
        method: "POST",
        headers: { "content-type": type, "x-api-key": options.key },
        body,
        signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
      });
    } catch (cause) {
      if (attempt < 3) continue;
      throw new FeedError(
        `${options.url} does not answer (${reasonOf(cause)}). Is the service running there? Start it with npm start, or give another --url.`,
        { cause },
      );
    }
    refuseForeign(options, response);
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (response.status === 503 && attempt < ATTEMPTS_MAX && !stopped) {
      await pause(1000 * Number(response.headers.get("retry-after") ?? 1));
      continue;
    }
    count(options, response.status, answer);
    return;
  }
}

/** Throws where the answer is not one of this service, for which every answer is JSON. */
function refuseForeign({ url }: Options, { status, headers }: Response): void {
  const isJson = headers.get("content-type")?.includes("json") === true;
  if (status !== 404 && isJson) return;
  throw new FeedError(`${url} has no /api/signals (status ${status}). Is it this service? Give its address as --url.`);
}

function count(options: Options, status: number, answer: Answer): void {
  if (status === 401 || status === 403)
    throw new FeedError(
      `${options.url} refused the key: ${answer.error}. Make one with POST /api/keys and give it as --key.`,
    );
  if (answer.data === undefined)
    throw new FeedError(`The service refused the scans: ${status} ${answer.code}, ${answer.error}.`);
  totals.requests++;
  totals.accepted += answer.data.accepted;
  totals.duplicates += answer.data.duplicates;
  totals.late += answer.data.late;
  totals.quarantined += answer.data.quarantined;
  totals.rejected += answer.data.rejected_count;
  firstRejection ||= answer.data.rejected[0] ? `${answer.data.rejected[0].code}: ${answer.data.rejected[0].error}` : "";
}

function reasonOf(cause: unknown): string {
  const inner = (cause as { cause?: { code?: string } }).cause?.code;
  return inner ?? (cause as Error).message;
}

let toldTenths = 0;

function showProgress(share: number, elapsedS: number): void {
  const percent = Math.floor(share * 100);
  const line = `${String(percent).padStart(3)} %  ${elapsedS.toFixed(0)} s  ${totals.accepted} accepted`;
  if (process.stdout.isTTY) {
    const full = Math.round(share * BAR_WIDTH);
    process.stdout.write(`\r[${"#".repeat(full)}${" ".repeat(BAR_WIDTH - full)}] ${line}   `);
    return;
  }
  if (Math.floor(percent / 10) <= toldTenths) return;
  toldTenths = Math.floor(percent / 10);
  say(line);
}

async function play(run: Run, options: Options): Promise<void> {
  const wholeMs = (lengthS(run.scenario) / run.speed) * 1000;
  toldTenths = 0;
  for (let next = 0; next < run.scans.length && !stopped; ) {
    const nowMs = Date.now();
    const due = countDue(run, next, nowMs);
    if (due > 0)
      await push(
        options,
        run.scans.slice(next, next + due).map((scan) => toPush(run, scan)),
      );
    next += due;
    const elapsedMs = Date.now() - run.startMs;
    showProgress(next === run.scans.length ? 1 : Math.min(elapsedMs / wholeMs, 0.99), elapsedMs / 1000);
    if (countDue(run, next, Date.now()) === 0) await pause(PUSH_PERIOD_MS);
  }
  if (process.stdout.isTTY) say("");
}

function positive(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new FeedError(`--${name} must be a number above 0, not "${text}".`);
  return value;
}

function speedOf(values: { rate?: string | undefined; speed?: string | undefined }, scenario: Scenario): number {
  const rate = positive("rate", values.rate);
  const speed = positive("speed", values.speed);
  if (rate !== null && speed !== null)
    throw new FeedError("--rate and --speed say the same thing in two ways; give one of them.");
  return rate === null ? (speed ?? 1) : speedFor(scenario, rate);
}

async function keyFor(url: string, key: string | undefined): Promise<string> {
  if (key !== undefined) return key;
  try {
    const access = await signIn(url, "feed@example.org", "npm run feed");
    say(`No --key: signed in by dev-login as feed@example.org, workspace ${access.workspaceId}, key ${access.key}`);
    return access.key;
  } catch (cause) {
    throw new FeedError(
      `No --key was given, and dev-login at ${url} failed (${reasonOf(cause)}). Start the service with DEV_MODE=1, or give a key as --key.`,
      { cause },
    );
  }
}

async function main(): Promise<number> {
  const { values } = readArguments(USAGE, {
    url: { type: "string", default: "http://127.0.0.1:8077" },
    key: { type: "string" },
    input: { type: "string" },
    rate: { type: "string" },
    speed: { type: "string" },
    msgpack: { type: "boolean", default: false },
    loop: { type: "boolean", default: false },
  });
  if (values.input === undefined) return refuseUsage("--input is missing: a scenario to send", USAGE);
  const scenario = readScenario(values.input);
  const speed = speedOf(values, scenario);
  const url = values.url.replace(/\/+$/, "");
  const options = { url, key: await keyFor(url, values.key), msgpack: values.msgpack };
  say(
    `${scenario.scenario ?? values.input}: ${scenario.scans.length} scans of ${scenario.sensors.length} sensors in ${(lengthS(scenario) / speed).toFixed(0)} s, to ${url}`,
  );
  do await play(openRun(scenario, Date.now(), speed), options);
  while (values.loop && !stopped);
  const { accepted, duplicates, late, quarantined, rejected, requests } = totals;
  say(
    `${requests} requests: ${accepted} accepted, ${duplicates} duplicates, ${late} late, ${quarantined} quarantined, ${rejected} rejected`,
  );
  if (rejected > 0) say(`first rejection: ${firstRejection}`);
  return rejected > 0 || accepted === 0 ? 1 : 0;
}

process.on("SIGINT", () => {
  if (stopped) process.exit(130);
  stopped = true;
});

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof FeedError || error instanceof ScenarioError)) throw error;
  process.stderr.write(`feed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
