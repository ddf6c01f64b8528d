/**
 * Where a link may connect to (OWASP API7, hardening): not to link-local and metadata addresses, not to "any" addresses.
 * Loopback and private networks are where sensors are, so they are allowed. Names are looked at as written when a link is
 * made; what they resolve to is looked at in the very lookup that the connection is made by, so it cannot change between.
 */
import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** IPv4 rules hold for `::ffff:` addresses, too, however they are spelt: BlockList compares bytes. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet("169.254.0.0", 16, "ipv4");
LINK_LOCAL.addSubnet("fe80::", 10, "ipv6");
// What translates 169.254.0.0/16 (RFC 6052), and the metadata service of one cloud that is not link-local by its number.
LINK_LOCAL.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");
LINK_LOCAL.addAddress("fd00:ec2::254", "ipv6");

const NOWHERE = new BlockList();
NOWHERE.addSubnet("0.0.0.0", 8, "ipv4");
NOWHERE.addAddress("255.255.255.255", "ipv4");
NOWHERE.addAddress("::", "ipv6");

/** Of a host name or address; null: it may be connected to. */
export function whyNotOutbound(host: string): string | null {
  const name = host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (name === "") return "the address names no host";
  // A zone (%eth0) is no part of the number.
  const number = name.replace(/%.*$/, "");
  const kind = isIP(number);
  if (kind === 0) return /(^|\.)metadata(\.|$)/.test(name) ? `${name} is a metadata service` : null;
  const family = kind === 4 ? "ipv4" : "ipv6";
  if (LINK_LOCAL.check(number, family)) return `${name} is a link-local address`;
  return NOWHERE.check(number, family) ? `${name} is no address to connect to` : null;
}

function refusedLookup(name: string, address: string, why: string): NodeJS.ErrnoException {
  const fault = new Error(`${name} leads to ${address}: ${why}`);
  return Object.assign(fault, { code: "EADDRNOTAVAIL", syscall: "getaddrinfo" });
}

/** The `lookup` of net.connect, tls.connect and http.get for links: fails when one of the addresses may not be gone to. */
export const lookupOutbound: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (fault, found) => {
    if (fault !== null) return done(fault, []);
    for (const { address } of found) {
      const why = whyNotOutbound(address);
      if (why !== null) return done(refusedLookup(name, address, why), []);
    }
    return options.all === true ? done(null, found) : done(null, found[0]!.address, found[0]!.family);
  });
};

/** The IPv4 address that datagrams for this host go to. Rejects with a system error when there is none that may be. */
export function resolveOutbound(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    lookupOutbound(host, { family: 4 }, (fault, address: string | LookupAddress[]) =>
      fault === null ? resolve(address as string) : reject(fault),
    );
  });
}

/** Of a URL with one of these schemes (with their colon). */
export function whyNotUrl(text: string, schemes: readonly string[]): string | null {
  if (!URL.canParse(text)) return `${text} is no URL`;
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return `the URL must begin with ${schemes.map((s) => `${s}//`).join(" or ")}`;
  if (url.username !== "" || url.password !== "") return "credentials do not belong in the URL: use secret";
  return whyNotOutbound(url.hostname);
}
