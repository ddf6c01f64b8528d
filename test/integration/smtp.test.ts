/** Sign-in mail through a real SMTP server, and a deployment that is not in DEV_MODE. */
import { randomBytes } from "node:crypto";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPicket, type TestPicket } from "../support/picket.ts";

const mails: string[] = [];
let smtp: SMTPServer;
let picket: TestPicket;

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("refused") ? Object.assign(new Error("no such mailbox"), { responseCode: 550 }) : null),
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      stream.on("end", () => {
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as { port: number };
  picket = await startTestPicket({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    DEV_MODE: "0",
    MAIL_FROM: "gate@example.org",
  });
});
afterAll(async () => {
  await picket.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

const post = (path: string, body: unknown) => picket.request("POST", path, { body });

test("[AU-15] the code goes out by mail, is not in the answer, and signs in", async () => {
  const email = `${randomBytes(4).toString("hex")}@example.com`;
  const { status, body } = await post("/api/auth/login", { email });
  expect([status, Object.keys(body.data).sort()]).toEqual([200, ["expires_at", "sent"]]);
  const mail = mails.find((text) => text.includes(`To: ${email}`))!;
  expect(mail).toContain("From: gate@example.org");
  const code = /code is (\d{6})/.exec(mail)![1];
  expect((await post("/api/auth/verify", { email, code })).status).toBe(200);
});

test("[AU-15] given a provider that refuses the mail, login is 502 mail_refused", async () => {
  const { status, body } = await post("/api/auth/login", { email: "refused@example.com" });
  expect([status, body.code]).toEqual([502, "mail_refused"]);
});

test("[AU-14] dev-login is 501 feature_absent without DEV_MODE, and says so", async () => {
  const { status, body } = await post("/api/auth/dev-login", { email: "a@example.com" });
  expect([status, body.code]).toEqual([501, "feature_absent"]);
  expect(body.error).toContain("DEV_MODE");
});

test("[AU-16] the thirty-first login of one IP within a minute is 429, outside DEV_MODE", async () => {
  const answers = [];
  for (let i = 0; i < 31; i++) answers.push(await post("/api/auth/login", { email: `many${i}@example.com` }));
  const last = answers.at(-1)!;
  expect([last.status, last.body.code]).toEqual([429, "rate_limited"]);
  expect(last.headers.get("retry-after")).not.toBeNull();
});
