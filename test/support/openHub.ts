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
  return new Hub(options) as unknown as OpenHub;
}
