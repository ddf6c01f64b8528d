/** A hub for payloads of any shape: numbering, order and catching up do not depend on the payload. */
import type { DomainEvent, SliceEvent } from "../../src/domain/events.ts";
import { Hub, type HubOptions } from "../../src/stream/hub.ts";

type Typed = "publish" | "publishSlice" | "publishExplain";

export interface OpenHub extends Omit<Hub, Typed> {
  publish(name: DomainEvent, payload: object, nowMs: number): number;
  publishSlice(name: SliceEvent, payload: object): void;
  publishExplain(payload: object): void;
}

export function openHub(options: HubOptions): OpenHub {
  const hub = new Hub(options);
  const publishSlice = hub.publishSlice.bind(hub);
  return Object.assign(hub as unknown as OpenHub, {
    publishSlice: (name: SliceEvent, payload: object) => publishSlice(name, JSON.stringify(payload)),
  });
}
