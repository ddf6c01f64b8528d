/**
 * Where a link may connect to (OWASP API7, hardening): not to link-local and metadata addresses, not to "any" addresses.
 * Loopback and private networks are where sensors are, so they are allowed. Names are looked at as written when a link is
 * made, and as they resolve before each connection.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

function whyNotHost(host: string): string | null {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "") return "the address names no host";
  const kind = isIP(name);
  const v4 = kind === 4 ? name : name.startsWith("::ffff:") ? name.slice(7) : null;
  if (v4?.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/.test(name) || name === "fd00:ec2::254")
    return `${name} is a link-local address`;
  if (v4 === "0.0.0.0" || name === "::" || v4 === "255.255.255.255") return `${name} is no address to connect to`;
  if (/(^|\.)metadata(\.|$)/.test(name)) return `${name} is a metadata service`;
  return null;
}

/** Of a host name or address; null: it may be connected to. */
export function whyNotOutbound(host: string): string | null {
  return whyNotHost(host);
}

/** Throws when the name leads to where a link may not go, or to nowhere; call it before connecting. */
export async function resolveOutbound(host: string): Promise<void> {
  const name = host.replace(/^\[|\]$/g, "");
  for (const { address } of await lookup(name, { all: true })) {
    const why = whyNotHost(address);
    if (why !== null) throw Object.assign(new Error(`${name} leads to ${address}: ${why}`), { code: "EADDRNOTAVAIL" });
  }
}

/** Of a URL with one of these schemes (with their colon). */
export function whyNotUrl(text: string, schemes: readonly string[]): string | null {
  if (!URL.canParse(text)) return `${text} is no URL`;
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return `the URL must begin with ${schemes.map((s) => `${s}//`).join(" or ")}`;
  if (url.username !== "" || url.password !== "") return "credentials do not belong in the URL: use secret";
  return whyNotHost(url.hostname);
}
