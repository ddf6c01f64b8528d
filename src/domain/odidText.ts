/** An OpenDroneID payload as text, as people and programs write bytes: hex, dense or with spaces or colons between, or base64. Pure. */

export const ODID_PAYLOAD_BYTES_MAX = 512;
const SEPARATORS = /[\s:]/g;
const HEX = /^(?:[0-9a-f]{2}[\s:]?)+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** null: it is neither, or too long. */
export function odidBytes(text: string): Buffer | null {
  const dense = text.replaceAll(SEPARATORS, "");
  if (dense.length === 0 || dense.length > ODID_PAYLOAD_BYTES_MAX * 2) return null;
  if (HEX.test(text) && dense.length % 2 === 0) return Buffer.from(dense, "hex");
  return BASE64.test(dense) ? Buffer.from(dense, "base64") : null;
}
