/**
 * The service must not start with what it found, and starting it again does not help before a person has acted: a damaged
 * database, a folder that another process uses, a schema of a newer version. The message is for that person: what, why,
 * what to do. The process ends with status 78.
 */
export class StartRefusedError extends Error {
  override name = "StartRefusedError";
}
