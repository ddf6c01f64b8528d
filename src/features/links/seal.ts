/**
 * Encryption of link credentials at rest: AES-256-GCM under a key derived from SECRET_KEY (NIST SP 800-38D; HKDF, RFC 5869).
 * The link's id is authenticated with it, so that a sealed secret cannot be moved to another row.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyOf(secretKey: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "", "picket link credentials", 32));
}

export function seal(secretKey: string, linkId: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secretKey), nonce).setAAD(Buffer.from(linkId));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
}

/** null: sealed under another key, or not by us. */
export function unseal(secretKey: string, linkId: string, sealed: Uint8Array): string | null {
  const bytes = Buffer.from(sealed);
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(bytes.length - TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secretKey), nonce).setAAD(Buffer.from(linkId)).setAuthTag(tag);
  try {
    const body = bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
