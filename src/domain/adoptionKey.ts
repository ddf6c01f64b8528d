/**
 * The adoption key of a platform that a link hears and nobody has registered (docs/interface.md#registration): the first 26
 * characters of base32(SHA-256(protocol ":" address ":" system id)). Deterministic, so that it survives every restart. Pure.
 */
import { sha256 } from "../lib/ids.ts";

/** RFC 4648 §6. */
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const KEY_LENGTH = 26;

export function adoptionKey(protocol: string, address: string, systemId: string): string {
  const digest = sha256(`${protocol}:${address}:${systemId}`);
  let key = "";
  let bits = 0;
  let held = 0;
  for (let i = 0; key.length < KEY_LENGTH; i++) {
    bits = (bits << 8) | digest[i]!;
    held += 8;
    while (held >= 5 && key.length < KEY_LENGTH) {
      held -= 5;
      key += BASE32[(bits >> held) & 31]!;
    }
    bits &= (1 << held) - 1;
  }
  return key;
}

/** Several systems behind one address (a router, a relay) are registered as `address/system`. */
export function addressWithSystem(address: string, systemId: string): string {
  return `${address}/${systemId}`;
}

/** `address` without the system that `addressWithSystem` put behind it. */
export function plainAddress(address: string, systemId: string): string {
  const ending = `/${systemId}`;
  return address.endsWith(ending) ? address.slice(0, -ending.length) : address;
}
