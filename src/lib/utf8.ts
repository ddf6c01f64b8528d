/** Decodes UTF-8 from other programs; a byte order mark, which some of them write, is left out. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: false });

/** Bytes that are no UTF-8 become U+FFFD. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
