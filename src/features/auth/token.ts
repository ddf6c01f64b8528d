/** Session tokens: JWTs that the service signs, valid for thirty minutes; two secrets at a time allow rotation. */
import { errors, jwtVerify, SignJWT } from "jose";
import { sha256 } from "../../lib/ids.ts";
import { SESSION_CLOCK_TOLERANCE_S, SESSION_TOKEN_TTL_S } from "../../limits.ts";

const ISSUER = "picket";
const AUDIENCE = "picket-api";
const TYPE = "at+jwt";

interface SessionClaims {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** The family of refresh tokens that the session belongs to. */
  readonly sessionId: string;
  readonly expiresAtMs: number;
}

export interface TokenKeys {
  sign(claims: Omit<SessionClaims, "expiresAtMs">, nowMs: number): Promise<{ token: string; expiresAtMs: number }>;
  /** null for a token that is expired or was not signed by this deployment. */
  verify(token: string, nowMs: number): Promise<SessionClaims | null>;
}

export function createTokenKeys(secrets: readonly string[]): TokenKeys {
  const keys = new Map(
    secrets.map((secret) => [sha256(secret).toString("base64url").slice(0, 8), new TextEncoder().encode(secret)]),
  );
  const [signingId, signingKey] = [...keys][0]!;
  return {
    async sign({ userId, email, name, sessionId }, nowMs) {
      const issuedS = Math.floor(nowMs / 1000);
      const token = await new SignJWT({ email, name, sid: sessionId })
        .setProtectedHeader({ alg: "HS256", typ: TYPE, kid: signingId })
        .setSubject(userId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setJti(crypto.randomUUID())
        .setIssuedAt(issuedS)
        .setExpirationTime(issuedS + SESSION_TOKEN_TTL_S)
        .sign(signingKey);
      return { token, expiresAtMs: (issuedS + SESSION_TOKEN_TTL_S) * 1000 };
    },
    async verify(token, nowMs) {
      try {
        const keyOf = (header: { kid?: string }) => {
          const key = keys.get(header.kid ?? "");
          if (key === undefined) throw new errors.JWKSNoMatchingKey();
          return key;
        };
        const { payload } = await jwtVerify(token, keyOf, {
          algorithms: ["HS256"],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          clockTolerance: SESSION_CLOCK_TOLERANCE_S,
          currentDate: new Date(nowMs),
          requiredClaims: ["sub", "exp", "jti"],
        });
        return {
          userId: payload.sub!,
          email: String(payload.email),
          name: String(payload.name),
          sessionId: String(payload.sid),
          expiresAtMs: payload.exp! * 1000,
        };
      } catch (fault) {
        if (fault instanceof errors.JOSEError) return null;
        throw fault;
      }
    },
  };
}
