/** The tracker's number for a claimed identity: a hash of the identity, so that every process computes the same. */
import { sha256 } from "../../lib/ids.ts";

/** 53 bits are read from seven bytes, so the digest holds four numbers. */
const BYTES = 7;
const NUMBERS_IN_DIGEST = 4;

/**
 * A whole number from 1 to 2^53 - 1 out of the SHA-256 of `identity`: the first that no other identity has, 0 when all four
 * are taken. Two of 20 000 identities collide with a probability of 2e-8; only for those does the order of arrival count.
 */
export function claimNumberOf(identity: string, isTaken: (number: number) => boolean): number {
  const digest = sha256(identity);
  for (let i = 0; i < NUMBERS_IN_DIGEST; i++) {
    const number = digest.readUIntBE(i * BYTES, 6) * 32 + (digest[i * BYTES + 6]! & 31) || 1;
    if (!isTaken(number)) return number;
  }
  return 0;
}
