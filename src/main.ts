/** The process: reads the settings, starts the service, stops it on a signal. app/picket.ts puts the parts together. */

import { readFileSync } from "node:fs";
import { parseArgs, parseEnv } from "node:util";
import { type Config, environmentWarnings, readConfig, variablesHelp } from "./config.ts";
import { systemClock } from "./lib/clock.ts";
import { ConfigError, codeOf, type Environment } from "./lib/settings.ts";
import { DRAIN_DEADLINE_MS } from "./limits.ts";

const EXIT_CONFIG = 78;
const EXIT_STARTUP = 1;
const EXIT_USAGE = 2;
const SAME_SIGNAL_MS = 1000;
const HELP_COLUMNS = { min: 60, max: 110, unknown: 100 };

const USAGE = `npm start [-- --settings FILE]

Runs Picket, a counter-UAS command-and-control server, until it gets SIGINT, SIGTERM or SIGHUP.

  --settings FILE  lines of NAME=VALUE, such as .env.example; the environment wins over them
  --help           this page`;

function helpText(columns: number | undefined): string {
  const width = Math.min(Math.max(columns ?? HELP_COLUMNS.unknown, HELP_COLUMNS.min), HELP_COLUMNS.max);
  return `${USAGE}\n\nSettings, from the environment; unset or empty means the default in brackets:\n\n${variablesHelp(width)}\n`;
}

function exitWith(status: number, sentences: readonly string[]): never {
  for (const sentence of sentences) process.stderr.write(`picket: ${sentence}\n`);
  process.exit(status);
}

/** The option is not --env-file, because Node itself reads that one wherever it stands in the command line. */
function readArguments(): { help?: boolean; settings?: string } {
  try {
    return parseArgs({ options: { help: { type: "boolean" }, settings: { type: "string" } } }).values;
  } catch (fault) {
    return exitWith(EXIT_USAGE, [(fault as Error).message, "npm start -- --help shows what there is"]);
  }
}

function environmentWith(path: string | undefined): Environment {
  if (path === undefined) return process.env;
  try {
    const given = Object.entries(process.env).filter(([, value]) => value !== "");
    return { ...(parseEnv(readFileSync(path, "utf8")) as Environment), ...Object.fromEntries(given) };
  } catch (fault) {
    throw new ConfigError([`--settings names ${path}, which cannot be read (${codeOf(fault)})`]);
  }
}

function settingsOrExit(path: string | undefined): { config: Config; warnings: readonly string[] } {
  let warnings: string[] = [];
  try {
    const env = environmentWith(path);
    warnings = environmentWarnings(env);
    return { config: readConfig(env, process.stdout.isTTY === true), warnings };
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault;
    return exitWith(EXIT_CONFIG, [...fault.faults, ...warnings]);
  }
}

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help === true) {
    process.stdout.write(helpText(process.stdout.columns));
    return;
  }
  const { config, warnings } = settingsOrExit(values.settings);
  // Loaded only now, so that help and the refusal of settings do not wait for the whole service to load.
  const { createLog } = await import("./app/log.ts");
  const { startPicket } = await import("./app/picket.ts");
  const { StartRefusedError } = await import("./db/startRefused.ts");
  const log = createLog(config);
  // Signals are handled from here on, so that a Ctrl-C during the start does not leave a database process behind.
  const starting = startPicket(config, log, systemClock);
  let stoppingSinceMs: number | null = null;
  const drain = (status: number) =>
    starting
      .then((picket) => picket.stop(DRAIN_DEADLINE_MS))
      .then(
        () => process.exit(status),
        (fault) => {
          log.error({ err: fault }, "the drain failed");
          process.exit(EXIT_STARTUP);
        },
      );
  const stop = (signal: string) => {
    // A second signal ends the process at once. But npm passes on a signal that the terminal has also sent to this process,
    // so two signals within a second count as one.
    if (stoppingSinceMs !== null) {
      if (systemClock.monotonicMs() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(EXIT_STARTUP);
      return;
    }
    stoppingSinceMs = systemClock.monotonicMs();
    log.info(`${signal}: draining`);
    void drain(0);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop(signal));
  process.on("unhandledRejection", (fault) => log.error({ err: fault }, "unhandled rejection"));
  const picket = await starting.catch((fault: Error) => {
    const isRefused = fault instanceof StartRefusedError;
    log.fatal(isRefused ? {} : { err: fault }, fault.message);
    process.exit(isRefused ? EXIT_CONFIG : EXIT_STARTUP);
  });
  void picket.refused.then((fault) => {
    log.fatal(fault.message);
    // A signal that came before has its own end.
    if (stoppingSinceMs === null) void drain(EXIT_CONFIG);
    stoppingSinceMs ??= systemClock.monotonicMs();
  });
  // After the start, because the first line of the log is the address.
  for (const warning of warnings) log.warn(warning);
}

await main();
