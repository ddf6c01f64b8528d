/** The first step of sign-in: a code by mail, limited by address and by IP (docs/interface.md#sign-in). */
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { cleanEmail, type Mailer, MailRefusedError } from "../../domain/email.ts";
import { type Headers, type Route, route } from "../../http/route.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import * as limits from "../../limits.ts";
import * as schema from "./schema.ts";
import { openLogin, type SignInParts } from "./signIn.ts";

export interface AuthParts extends SignInParts {
  /** Called with each new session token, to verify and cache it, so that it works even if the database goes away next. */
  readonly onSession: (token: string) => Promise<void>;
  /** null without SMTP_URL. */
  readonly mailer: Mailer | null;
  readonly devMode: boolean;
  /** Where clients reach the service; null: at the address that it listens on. */
  readonly publicUrl: string | null;
}

type Refuse = (code: "rate_limited", sentence: string, headers?: Headers) => never;

async function takeToken(limiter: RateLimiterMemory, key: string, what: string, refuse: Refuse): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (over) {
    if (!(over instanceof RateLimiterRes)) throw over;
    refuse("rate_limited", `too many sign-ins ${what}; try again later`, {
      "Retry-After": String(Math.ceil(over.msBeforeNext / 1000)),
    });
  }
}

export function emailOf(value: string, refuse: (code: "invalid_input", sentence: string) => never): string {
  return cleanEmail(value) ?? refuse("invalid_input", "email must be an e-mail address");
}

export function loginRoute(parts: AuthParts): Route {
  const perAddress = new RateLimiterMemory({
    points: limits.LOGINS_PER_ADDRESS_MAX,
    duration: limits.LOGINS_PER_ADDRESS_WINDOW_S,
  });
  const perIp = new RateLimiterMemory({ points: limits.LOGINS_PER_IP_MAX, duration: limits.LOGINS_PER_IP_WINDOW_S });
  return route({
    method: "POST",
    path: "/api/auth/login",
    access: "open",
    tag: "Sign-in",
    summary: "Send a six-digit sign-in code",
    description: "Answers the same whether or not the address is known. In DEV_MODE the code is in the answer.",
    body: schema.LoginRequest,
    reply: { 200: schema.LoginSent },
    errors: ["invalid_input", "rate_limited", "mail_refused", "not_configured", "unavailable"],
    async handle({ body, request, refuse }) {
      const email = emailOf(body.email, refuse);
      if (parts.mailer === null && !parts.devMode)
        refuse("not_configured", "this deployment cannot send sign-in mail: SMTP_URL is not set");
      if (!parts.devMode) await takeToken(perIp, request.ip, "from this IP address", refuse);
      await takeToken(perAddress, email, "for this e-mail address", refuse);
      const { code, expiresAtMs } = await openLogin(parts, email);
      try {
        await parts.mailer?.send(
          email,
          "Your Picket sign-in code",
          `Your sign-in code is ${code}. It is valid for ten minutes and for one use.\n`,
        );
      } catch (fault) {
        if (!(fault instanceof MailRefusedError)) throw fault;
        refuse("mail_refused", "the mail provider did not take the sign-in code; check the address or try again later");
      }
      return {
        status: 200,
        data: { sent: true as const, expires_at: toRfc3339(expiresAtMs), ...(parts.devMode ? { code } : {}) },
      };
    },
  });
}
