/** The name under which this process is known to the database, so that an administrator sees whose a session is. */
import { hostname } from "node:os";

/** Postgres cuts longer names. */
const APPLICATION_NAME_LENGTH_MAX = 63;

/**
 * picket/<host>/<pid>-<start, epoch seconds>. The start tells two processes of one number apart: in a container each is
 * number 1.
 */
export const PROCESS_NAME = nameOf(hostname(), process.pid, Math.floor(performance.timeOrigin / 1000));

function nameOf(host: string, pid: number, startedS: number): string {
  const end = `/${pid}-${startedS}`;
  // Other characters arrive as question marks.
  const plain = host.replaceAll(/[^\x21-\x7e]|\//g, "_");
  return `picket/${plain.slice(0, APPLICATION_NAME_LENGTH_MAX - "picket/".length - end.length)}${end}`;
}
