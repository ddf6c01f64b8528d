/** Hosts to which links may connect: sensors on the site's networks, no metadata service in any spelling. */
import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import { lookupAllowed, resolveAllowed, whyNotConnect, whyNotUrl } from "../../src/links/net/allowedHosts.ts";

describe("[LK-4] links connect to sensors, not to metadata services", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "100.100.100.201",
    "2002:0a00:1::1",
    "192.168.1.5",
    "radar.example.org",
    "::1",
    "fd12::1",
  ])("%s may be gone to", (host) => expect(whyNotConnect(host)).toBeNull());
  test.each([
    "169.254.169.254",
    "169.254.169.254.",
    "::ffff:169.254.1.1",
    "::ffff:a9fe:a9fe",
    "0:0:0:0:0:ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "fe80::1",
    "fe80::1%eth0",
    "[fe80::1]",
    "febf::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "::ffff:100.100.100.200",
    "::a9fe:a9fe",
    "64:ff9b::a83f:8110",
    "2002:a9fe:a9fe::",
    "2002:a9fe:a9fe::1",
    "2002:c000:00c0:1::7",
    "FD00:0EC2:0::254",
    "0.0.0.0",
    "0.0.0.1",
    "::",
    "0:0::0",
    "::ffff:0:0",
    "255.255.255.255",
    "metadata.google.internal",
    "",
  ])("%s may not", (host) => expect(whyNotConnect(host)).not.toBeNull());
  test("URLs have an allowed scheme and no credentials, and their host is checked as it will be resolved", () => {
    expect(whyNotUrl("http://10.0.0.5:8080/data/aircraft.json", ["http:"])).toBeNull();
    for (const url of [
      "ftp://10.0.0.5/",
      "file:///etc/passwd",
      "http://user:pw@10.0.0.5/",
      "nothing",
      "http://169.254.169.254/",
      "http://2852039166/",
      "http://0xa9.0xfe.0xa9.0xfe/",
      "http://[::ffff:169.254.169.254]/",
      "http://169.254.169.254./",
    ])
      expect(whyNotUrl(url, ["http:", "https:"]), url).not.toBeNull();
  });
  test("the address of a host name is checked in the lookup of the connection itself", async () => {
    const look = (name: string, all: boolean) =>
      new Promise<string | LookupAddress[]>((resolve, reject) =>
        lookupAllowed(name, { all }, (fault, found) => (fault === null ? resolve(found) : reject(fault))),
      );
    await expect(look("2852039166", true)).rejects.toThrow("link-local");
    await expect(look("0", false)).rejects.toMatchObject({ code: "EADDRNOTAVAIL", syscall: "getaddrinfo" });
    expect(await look("localhost", true)).toContainEqual(expect.objectContaining({ address: "127.0.0.1" }));
    expect(await look("127.1", false)).toBe("127.0.0.1");
    await expect(look("nowhere.invalid", true)).rejects.toMatchObject({ syscall: "getaddrinfo" });
    expect(await resolveAllowed("localhost")).toBe("127.0.0.1");
  });
});
