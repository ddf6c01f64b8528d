/** The application_name of this process's database sessions, by which an administrator sees which process has one. */
import { hostname } from "node:os";

/** Postgres truncates longer names. */
const APPLICATION_NAME_LENGTH_MAX = 63;

/** picket/<host>/<pid>-<start in Unix seconds>. In a container every process has pid 1; the start tells them apart. */
export const PROCESS_NAME = nameOf(hostname(), process.pid, Math.floor(performance.timeOrigin / 1000));

function nameOf(host: string, pid: number, startedS: number): string {
  const end = `/${pid}-${startedS}`;
  // Postgres shows other characters as question marks.
  const plain = host.replaceAll(/[^\x21-\x7e]|\//g, "_");
  return `picket/${plain.slice(0, APPLICATION_NAME_LENGTH_MAX - "picket/".length - end.length)}${end}`;
}
