/** What sends sign-in mail, as the slices know it. `src/app/mail.ts` is the real one. */
export interface Mailer {
  send(to: string, subject: string, text: string): Promise<void>;
}

/** The provider did not take the message (docs/interface.md#sign-in: 502). */
export class MailRefusedError extends Error {
  override name = "MailRefusedError";
}
