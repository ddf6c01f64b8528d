/**
 * Request ids: unique, cheap and readable, not secret. One random part for the process and a counter: a random number for
 * each request would cost more than routing it.
 */
import { randomBytes } from "node:crypto";

const process = randomBytes(5).toString("hex");
let count = 0;

export function nextRequestId(): string {
  count++;
  return `req_${process}${count.toString(36).padStart(7, "0")}`;
}
