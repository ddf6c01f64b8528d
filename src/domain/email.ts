/** E-mail addresses as account names in one spelling, and the interface of the sender of sign-in mail. Pure. */
const LOCAL = String.raw`[^\s@"<>()[\]\\,;:\u0000-\u001f\u007f]{1,64}`;
const HOST = String.raw`[^\s@"<>()[\]\\,;:\u0000-\u001f\u007f]{1,253}`;
const EMAIL = new RegExp(`^${LOCAL}@${HOST}$`);

/** Lower case and trimmed, or null when it is no e-mail address. */
export function cleanEmail(value: string): string | null {
  const email = value.trim().normalize("NFC").toLowerCase();
  return email.length <= 254 && EMAIL.test(email) && !email.includes("..") ? email : null;
}

/** Sends sign-in mail; `app/mail.ts` is the real one. */
export interface Mailer {
  send(to: string, subject: string, text: string): Promise<void>;
}

/** The provider did not take the message (docs/interface.md#sign-in: 502). */
export class MailRefusedError extends Error {
  override name = "MailRefusedError";
}
