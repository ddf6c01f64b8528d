/** What a name may be: one line that a person can read, kept in one Unicode form. Pure. */
import { Type } from "typebox";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** No control characters, no line separators, no half surrogates; something that is not white space. */
export const Name = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern:
    "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff][^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$",
});

export function cleanName(name: string): string {
  return name.normalize("NFC").trim();
}
