/**
 * Request ids: unique, cheap and readable, not secret. A random part a process and a counter, because a random number a
 * request costs more than routing it.
 */
import { randomBytes } from "node:crypto";

const process = randomBytes(5).toString("hex");
let count = 0;

export function nextRequestId(): string {
  count++;
  return `req_${process}${count.toString(36).padStart(7, "0")}`;
}
