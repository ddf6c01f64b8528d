/**
 * Hosts to which a link may connect (OWASP API7): not link-local or metadata addresses, not "any" addresses. Loopback and
 * private networks are allowed, because sensors are there. A name is checked when a link is created; the addresses behind it
 * are checked in the lookup that makes the connection, so that they cannot change in between.
 */
import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** IPv4 rules hold for `::ffff:` addresses too, in any spelling: BlockList compares bytes. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet("fe80::", 10, "ipv6");
// Link-local addresses, and cloud metadata services at other addresses.
const FORBIDDEN = [
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  ["168.63.129.16", 32],
] as const;
for (const [address, bits] of FORBIDDEN) {
  LINK_LOCAL.addSubnet(address, bits, "ipv4");
  const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
  const high = ((a << 8) | b).toString(16);
  const low = ((c << 8) | d).toString(16);
  // IPv6 forms of the same addresses: translated (RFC 6052), "IPv4-compatible" (RFC 4291) and 6to4 (RFC 3056).
  LINK_LOCAL.addSubnet(`64:ff9b::${high}:${low}`, 96 + bits, "ipv6");
  LINK_LOCAL.addSubnet(`::${high}:${low}`, 96 + bits, "ipv6");
  LINK_LOCAL.addSubnet(`2002:${high}:${low}::`, 16 + bits, "ipv6");
}
LINK_LOCAL.addAddress("fd00:ec2::254", "ipv6");
LINK_LOCAL.addAddress("fd20:ce::254", "ipv6");

const UNSPECIFIED = new BlockList();
UNSPECIFIED.addSubnet("0.0.0.0", 8, "ipv4");
UNSPECIFIED.addAddress("255.255.255.255", "ipv4");
UNSPECIFIED.addAddress("::", "ipv6");

/** Why a link may not connect to this host name or address; null: it may. */
export function whyNotConnect(host: string): string | null {
  const name = host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (name === "") return "the address names no host";
  // A zone (%eth0) is not part of the address.
  const number = name.replace(/%.*$/, "");
  const kind = isIP(number);
  if (kind === 0) return /(^|\.)metadata(\.|$)/.test(name) ? `${name} is a metadata service` : null;
  const family = kind === 4 ? "ipv4" : "ipv6";
  if (LINK_LOCAL.check(number, family)) return `${name} is a link-local address or a metadata service`;
  return UNSPECIFIED.check(number, family) ? `${name} is not an address to connect to` : null;
}

function refusedLookup(name: string, address: string, why: string): NodeJS.ErrnoException {
  const fault = new Error(`${name} resolves to ${address}: ${why}`);
  return Object.assign(fault, { code: "EADDRNOTAVAIL", syscall: "getaddrinfo" });
}

/** `lookup` for net.connect, tls.connect and http.get of links: fails when one of the addresses is not allowed. */
export const lookupAllowed: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (fault, found) => {
    if (fault !== null) return done(fault, []);
    for (const { address } of found) {
      const why = whyNotConnect(address);
      if (why !== null) return done(refusedLookup(name, address, why), []);
    }
    return options.all === true ? done(null, found) : done(null, found[0]!.address, found[0]!.family);
  });
};

/** The IPv4 address for datagrams to this host. Rejects with a system error when it has none that is allowed. */
export function resolveAllowed(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    lookupAllowed(host, { family: 4 }, (fault, address: string | LookupAddress[]) =>
      fault === null ? resolve(address as string) : reject(fault),
    );
  });
}

/** Why a link may not connect to this URL; null: it may. `schemes` are given with their colon. */
export function whyNotUrl(text: string, schemes: readonly string[]): string | null {
  if (!URL.canParse(text)) return `${text} is not a URL`;
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return `the URL must begin with ${schemes.map((s) => `${s}//`).join(" or ")}`;
  if (url.username !== "" || url.password !== "") return "credentials do not belong in the URL: use secret";
  return whyNotConnect(url.hostname);
}
