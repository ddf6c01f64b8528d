/**
 * Functions of the addon that its own typings leave out (measured on the pinned build): the exclusive listen option, listening
 * with a host and options, and the switch that removes its own header from every answer.
 */
import {
  _cfg,
  App,
  type HttpRequest,
  type HttpResponse,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  us_listen_socket_close,
  us_socket_local_port,
} from "uWebSockets.js";

declare module "uWebSockets.js" {
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  export function _cfg(key: string): void;
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      cb: (socket: Parameters<typeof us_listen_socket_close>[0] | false) => void,
    ): TemplatedApp;
  }
}

interface Listener {
  readonly port: number;
  /** Takes no more connections; those that are open stay. */
  stop(): void;
  /** Cuts every connection. */
  cut(): void;
}

/** Every method and path goes to `receive`. null: the address cannot be listened on, or is in use. */
export function listenExclusively(
  host: string,
  port: number,
  receive: (res: HttpResponse, req: HttpRequest) => void,
): Listener | null {
  // The header names the server software, which helps only an attacker.
  _cfg("999999990007");
  const app = App().any("/*", receive);
  let listener: Listener | null = null;
  // Without the option two servers could share one port unnoticed. The callback runs before listen returns.
  app.listen(host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    if (socket === false) return;
    let listening = true;
    const stop = () => {
      if (listening) us_listen_socket_close(socket);
      listening = false;
    };
    const cut = () => {
      stop();
      app.close();
    };
    listener = { port: us_socket_local_port(socket), stop, cut };
  });
  return listener;
}
