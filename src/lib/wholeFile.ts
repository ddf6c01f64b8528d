/** Files that are there whole or not at all, also after a power cut. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { newSecret } from "./ids.ts";
import { codeOf } from "./settings.ts";

const OWNER_ONLY = 0o600;

/** Makes a rename or a new entry in the folder outlive a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (fault) {
    // Some file systems cannot sync a folder; they order such changes themselves.
    if (codeOf(fault) !== "EINVAL" && codeOf(fault) !== "EISDIR") throw fault;
  } finally {
    closeSync(handle);
  }
}

/** Returns the name of a synced file beside `path` that holds the text and that only its owner may read. */
function writeBeside(path: string, text: string): string {
  const beside = `${path}.${newSecret("new", 12)}`;
  const handle = openSync(beside, "wx", OWNER_ONLY);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return beside;
}

/** Replaces what the file held. */
export function writeWhole(path: string, text: string): void {
  renameSync(writeBeside(path, text), path);
  syncFolder(dirname(path));
}

/** What file systems without hard links answer. */
const NO_LINKS = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/;

/** Leaves a file that is there as it is, also one that another process makes at this moment. */
export function createWhole(path: string, text: string): void {
  const beside = writeBeside(path, text);
  try {
    // Unlike a rename, a link fails when the name is taken.
    linkSync(beside, path);
  } catch (fault) {
    if (NO_LINKS.test(codeOf(fault)) && !existsSync(path)) renameSync(beside, path);
    else if (codeOf(fault) !== "EEXIST") throw fault;
  } finally {
    rmSync(beside, { force: true });
  }
  syncFolder(dirname(path));
}
