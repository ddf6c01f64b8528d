/**
 * Finds the benches: every file below bench/ that exports `run(size)`. A bench checks the result before it times it,
 * measures a reference in the same minute, and returns `ok` with its figures; see `Report`.
 */
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export type Size = "small" | "full";

/**
 * `ok` is false when a result was wrong or, at full size, a figure missed its bound. Every other member is printed:
 * numbers and words as they are, objects and lists of objects as rows. `ratio` is our figure over the reference's.
 */
export interface Report {
  readonly ok: boolean;
  readonly [figure: string]: unknown;
}

interface Bench {
  /** "stream/fanOut" for bench/stream/fanOut.ts. */
  readonly name: string;
  run(size: Size): Promise<Report>;
}

/** In the order in which data pass through the service. */
const ORDER = ["kernel", "ingest", "links", "http", "stream", "start"];

export function findBenches(): Bench[] {
  const root = new URL("..", import.meta.url);
  const paths = globSync("bench/*/*.ts", { cwd: root.pathname }).filter((path) =>
    /^export async function run\(/m.test(readFileSync(new URL(path, root), "utf8")),
  );
  const rank = (path: string) => ORDER.indexOf(path.split("/")[1] ?? "");
  return paths
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((path) => ({
      name: path.slice("bench/".length, -".ts".length),
      run: async (size) => {
        const module = (await import(pathToFileURL(new URL(path, root).pathname).href)) as Pick<Bench, "run">;
        return module.run(size);
      },
    }));
}
