/**
 * One connection to an MQTT broker. We make the sockets, not the library: their lookup is guarded (`allowedHosts.ts`), and a
 * broker that sends an endless packet is disconnected before the library has buffered it.
 */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { IClientOptions, MqttClient } from "mqtt";
import { lookupAllowed } from "../net/allowedHosts.ts";

const PORT = 1883;
const PORT_TLS = 8883;
const CONNECT_TIMEOUT_MS = 5000;
/** Far above what any receiver publishes. */
export const PACKET_BYTES_MAX = 1 << 20;

function openSocket(url: URL): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const lookup = lookupAllowed;
  if (url.protocol !== "mqtts:") return connectTcp({ host, port: Number(url.port) || PORT, lookup });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port: Number(url.port) || PORT_TLS, lookup, ...servername });
}

/** A client that emits `error`, if any, before `close`, and does not reconnect by itself. */
export function connectBroker(
  library: typeof import("mqtt"),
  address: string,
  credentials: Pick<IClientOptions, "username" | "password">,
): MqttClient {
  const options: IClientOptions = {
    ...credentials,
    // The library reconnects without jitter.
    reconnectPeriod: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    clean: true,
  };
  let unparsedBytes = 0;
  const openStream = () => {
    const socket = openSocket(new URL(address));
    socket.on("data", (piece: Buffer) => {
      unparsedBytes += piece.length;
      if (unparsedBytes <= PACKET_BYTES_MAX) return;
      const text = `the broker sends a packet of more than ${PACKET_BYTES_MAX} bytes`;
      socket.destroy(Object.assign(new Error(text), { code: "bad_answer" }));
    });
    return socket;
  };
  const client = new library.MqttClient(openStream, options);
  client.on("packetreceive", () => (unparsedBytes = 0));
  return client;
}
