/** Names: one line that a person can read, in one Unicode form. Pure. */
import { Type } from "typebox";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** Control characters, line separators, half surrogates. */
const NO_TEXT = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff";

/** One line with at least one character that is not in `blank`, the inside of a character class. */
function nameBesides(blank: string, rule: string) {
  const pattern = `^[^${NO_TEXT}]*[^${blank}${NO_TEXT}][^${NO_TEXT}]*$`;
  return Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern, "x-rule": rule });
}

export const Name = nameBesides("\\s", "one line of text that is not blank, without control characters");

/** Catalogue names are compared without the characters that join words, so these alone are no name. */
export const CatalogueName = nameBesides(
  "\\s_\\-\\u200b-\\u200d\\u2060\\ufeff",
  "one line of text with something besides spaces, hyphens and underscores",
);

/** One line of text: no control characters. */
export function Line(lengthMax: number) {
  return Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: "^[^\\u0000-\\u001f\\u007f]+$",
    "x-rule": `one line of text of 1 to ${lengthMax} characters, without control characters`,
  });
}

export function cleanName(name: string): string {
  return name.normalize("NFC").trim();
}
