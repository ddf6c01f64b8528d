/** What a name may be: one line that a person can read, kept in one Unicode form. Pure. */
import { Type } from "typebox";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** No control characters, no line separators, no half surrogates; something that is not white space. */
export const Name = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern:
    "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff][^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$",
  "x-rule": "one line of text that is not blank, without control characters",
});

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
