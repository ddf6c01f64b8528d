/** The arguments of a command. `--help` prints how it is used; an unknown option is refused with a sentence. */
import { type ParseArgsConfig, parseArgs } from "node:util";

const EXIT_USAGE = 2;

type Options = NonNullable<ParseArgsConfig["options"]>;
type Read<O extends Options, P extends boolean> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: P }>>;

/** Ends the process for `--help` with status 0, and for an unknown option with status 2 and its name. */
export function readArguments<const O extends Options, const P extends boolean = false>(
  usage: string,
  options: O,
  allowPositionals: P = false as P,
): Read<O, P> {
  try {
    const withHelp = { ...options, help: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ options: withHelp, allowPositionals });
    if ((values as { help?: boolean }).help !== true) return { values, positionals } as unknown as Read<O, P>;
  } catch (fault) {
    return refuseUsage((fault as Error).message, usage);
  }
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

/** Ends the process for a known option with a wrong value. */
export function refuseUsage(sentence: string, usage: string): never {
  process.stderr.write(`${sentence}\n\n${usage}\n`);
  process.exit(EXIT_USAGE);
}
