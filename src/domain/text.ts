/** What a name may be: one line that a person can read, kept in one Unicode form. Pure. */
import { Type } from "typebox";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** Control characters, line separators, half surrogates. */
const NO_TEXT = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff";

/** One line with something in it besides `blank`, a part of a class of characters. */
function nameBesides(blank: string, rule: string) {
  const pattern = `^[^${NO_TEXT}]*[^${blank}${NO_TEXT}][^${NO_TEXT}]*$`;
  return Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern, "x-rule": rule });
}

export const Name = nameBesides("\\s", "one line of text that is not blank, without control characters");

/** Of the catalogue, where names are compared without regard to what joins their words, and nobody sees a zero width. */
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
