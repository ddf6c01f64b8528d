/** Text as others send it: bytes in UTF-8, with a byte order mark before it that some programs write and no parser wants. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: false });

/** What is no UTF-8 becomes U+FFFD. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
