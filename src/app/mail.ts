/**
 * Sign-in mail by SMTP. The provider's refusal is a typed fault, so that the edge can answer 502
 * (docs/interface.md#sign-in).
 */
import { createTransport } from "nodemailer";
import { type Mailer, MailRefusedError } from "../domain/email.ts";

const TIMEOUT_MS = 5000;

export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, { from });
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  Object.assign(transport.options, timeouts);
  return {
    async send(to, subject, text) {
      try {
        await transport.sendMail({ from, to, subject, text });
      } catch (cause) {
        throw new MailRefusedError("the mail provider did not take the message", { cause });
      }
    },
  };
}
