/** Messages of receivers over MQTT, in their different forms. */
import { expect, test } from "vitest";
import { remoteIdAdapter } from "../../src/links/remoteId/adapter.ts";
import { readMessage } from "../../src/links/remoteId/message.ts";
import { testSettings } from "../support/linkContext.ts";

const PAYLOAD = Buffer.from("0012313538314636484d32323041303042310000000000000000", "hex").subarray(0, 25);
const said = (odid: string, before = "") => readMessage(Buffer.from(`${before}${JSON.stringify({ odid })}`), "json");

test("[RI-60] a message may begin with a byte order mark", () => {
  expect(said(PAYLOAD.toString("hex"), "\ufeff")?.payload).toEqual(PAYLOAD);
});

const hex = PAYLOAD.toString("hex");
test.each([
  ["colons", hex.match(/../g)!.join(":")],
  ["spaces", hex.match(/../g)!.join(" ").toUpperCase()],
  ["base64", PAYLOAD.toString("base64")],
])("[RI-61] a payload in hex with %s, or in base64, is accepted over MQTT as in POST /api/signals", (_, odid) => {
  expect(said(odid)?.payload).toEqual(PAYLOAD);
});
test.each([
  ["nothing", ""],
  ["a separator", ":"],
  ["no bytes", "00:0g!"],
  ["too long", "00".repeat(513)],
])("[RI-61] a payload that is %s is rejected", (_, odid) => expect(said(odid)).toBeNull());

const whyNot = (topic: string) =>
  remoteIdAdapter.refuse(
    testSettings({ protocol: "odid_wifi_ble", transport: "mqtt", address: "mqtt://127.0.0.1", options: { topic } }),
  );
test.each(["a/#/b", "a#", "#/a", "a/b+", "+a/b", "a/++", "a/##", "a\u0000"])(
  "[RI-62] the topic %j is refused",
  (topic) => {
    expect(whyNot(topic)).toContain("options.topic");
  },
);
test.each(["#", "+", "a/#", "+/b/+", "/a", "a//b/#", "$share/group/rid/#"])(
  "[RI-62] the topic %j is accepted",
  (topic) => {
    expect(whyNot(topic)).toBeNull();
  },
);
