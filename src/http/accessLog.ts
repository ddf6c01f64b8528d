/**
 * The access log. Writes, refusals and slow answers get a line each; every other request is counted in one summary line for
 * its route and period. So the log can stay on at `info` and costs nothing at 50,000 requests/s (ADR 0020).
 */
import type { Logger } from "pino";
import { round } from "../lib/numbers.ts";
import type { Exchange } from "./exchange.ts";

const SUMMARY_PERIOD_MS = 10_000;
const SLOW_MS = 1000;
/** Bounds the lines that a flood of refusals writes; the surplus is counted in the summary. */
const LINES_PER_SECOND_MAX = 100;

interface Summary {
  count: number;
  refused: number;
  sumMs: number;
  maxMs: number;
}

export interface AccessLog {
  note(x: Exchange, status: number, ms: number): void;
  /** Writes what was counted so far and ends the period's timer. */
  stop(): void;
}

/** Successful reads and pushes: the bulk of the requests, and of no interest one by one. */
function isTraffic(x: Exchange, status: number): boolean {
  return status < 400 && (x.method === "GET" || x.method === "HEAD" || x.compiled?.right === "push");
}

const SECRET_NAME = /ticket|code|token|key|secret|password|auth|session|cookie/i;
/** Secrets of ours begin with letters and _, JSON Web Tokens with eyJ; a percent sign may hide any character of one. */
const SECRET_VALUE = /(?:(?:dak|stk|ses|rft)(?:_|%5f)|eyJ)[\w.%~-]+/gi;
const LOGGED_LENGTH_MAX = 512;

const redact = (text: string) => text.replace(SECRET_VALUE, "[redacted]").slice(0, LOGGED_LENGTH_MAX);

function hidesSecret(name: string): boolean {
  try {
    return SECRET_NAME.test(decodeURIComponent(name));
  } catch {
    return true;
  }
}

/** Values whose name, however it is escaped, is that of a secret, and whatever looks like one, stay out of the log. */
function redactQuery(query: string): string {
  const parts = query.split("&").map((part) => {
    const name = part.split("=", 1)[0]!;
    return name !== part && hidesSecret(name) ? `${name}=[redacted]` : part;
  });
  return redact(parts.join("&"));
}

export function createAccessLog(log: Logger): AccessLog {
  const summaries = new Map<string, Summary>();
  let lines = 0;
  const writeSummaries = () => {
    lines = 0;
    for (const [route, s] of summaries)
      log.info(
        { route, count: s.count, refused: s.refused, mean_ms: round(s.sumMs / s.count, 3), max_ms: round(s.maxMs, 3) },
        "requests",
      );
    summaries.clear();
  };
  const timer = setInterval(writeSummaries, SUMMARY_PERIOD_MS);
  timer.unref();
  const count = (x: Exchange, status: number, ms: number) => {
    const route = x.compiled === null ? "(no route)" : x.compiled.label;
    let summary = summaries.get(route);
    if (summary === undefined) summaries.set(route, (summary = { count: 0, refused: 0, sumMs: 0, maxMs: 0 }));
    summary.count++;
    if (status >= 400) summary.refused++;
    summary.sumMs += ms;
    if (ms > summary.maxMs) summary.maxMs = ms;
  };
  return {
    note(x, status, ms) {
      const traffic = isTraffic(x, status) && ms < SLOW_MS;
      const overflows = !traffic && lines >= (LINES_PER_SECOND_MAX * SUMMARY_PERIOD_MS) / 1000;
      if (traffic || overflows) count(x, status, ms);
      if (overflows || (traffic && !log.isLevelEnabled("debug"))) return;
      if (!traffic) lines++;
      const line = {
        request_id: x.id,
        method: x.method,
        path: redact(x.path),
        query: redactQuery(x.query),
        status,
        ms: round(ms, 3),
        ip: x.ip,
        principal: x.principalId || undefined,
        workspace: x.workspaceId || undefined,
      };
      if (traffic) log.debug(line, "request");
      else log.info(line, "request");
    },
    stop() {
      clearInterval(timer);
      writeSummaries();
    },
  };
}
