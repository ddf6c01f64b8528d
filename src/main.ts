/** The process: reads the environment, starts the service, stops it on a signal. Wiring is in picket.ts. */

import { createLog } from "./app/log.ts";
import { startPicket } from "./app/picket.ts";
import { ConfigError, readConfig, VARIABLES } from "./config.ts";
import { systemClock } from "./lib/clock.ts";
import { DRAIN_DEADLINE_MS } from "./limits.ts";

const EXIT_CONFIG = 78;
const EXIT_STARTUP = 1;
const SAME_SIGNAL_MS = 1000;

function printHelp(): void {
  const rows = VARIABLES.map(({ name, fallback, meaning }) => `  ${name.padEnd(26)} ${meaning} (${fallback})`);
  process.stdout.write(
    `Picket, a counter-UAS command-and-control server.\n\nUsage: npm start\n\nEnvironment:\n${rows.join("\n")}\n`,
  );
}

function configOrExit() {
  try {
    return readConfig(process.env, process.stdout.isTTY === true);
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault;
    process.stderr.write(`picket: ${fault.message}\n`);
    process.exit(EXIT_CONFIG);
  }
}

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return printHelp();
  const config = configOrExit();
  const log = createLog(config);
  // The signals are heard before anything is started: who stops us at once must not leave a database behind either.
  const starting = startPicket(config, log, systemClock);
  let stoppingSinceMs: number | null = null;
  const stop = (signal: string) => {
    // The second signal means now; but npm hands on what the terminal has sent to us already, and means the same one.
    if (stoppingSinceMs !== null) {
      if (systemClock.monotonicMs() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(EXIT_STARTUP);
      return;
    }
    stoppingSinceMs = systemClock.monotonicMs();
    log.info(`${signal}: draining`);
    const stopped = starting.then((picket) => picket.stop(DRAIN_DEADLINE_MS));
    stopped.then(
      () => process.exit(0),
      (fault) => {
        log.error({ err: fault }, "the drain failed");
        process.exit(EXIT_STARTUP);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("unhandledRejection", (fault) => log.error({ err: fault }, "unhandled rejection"));
  await starting.catch((fault: Error) => {
    log.fatal({ err: fault }, fault.message);
    process.exit(EXIT_STARTUP);
  });
}

await main();
