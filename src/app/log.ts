/** The log: one JSON line an event, or a readable one on a terminal. Secrets never reach it. */
import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Config } from "../config.ts";

const SECRET_PATHS = [
  "authorization",
  "apiKey",
  "ticket",
  "code",
  "secret",
  "refresh_token",
  "session_token",
  "password",
  "*.authorization",
  "*.apiKey",
  "*.ticket",
  "*.code",
  "*.secret",
  "*.refresh_token",
  "*.session_token",
  "*.password",
];

export function createLog(config: Pick<Config, "logLevel" | "logFormat">): Logger {
  const options = { level: config.logLevel, base: null, redact: { paths: SECRET_PATHS, censor: "[redacted]" } };
  if (config.logFormat === "json") return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime });
  return pino(options, pretty({ sync: true, translateTime: "HH:MM:ss.l", ignore: "pid,hostname" }));
}
