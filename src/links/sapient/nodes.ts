/**
 * The nodes of one listener. A connection belongs to one node and a node has one connection, so the sender of bytes is known
 * by their connection, and no node can send, answer or leave for another.
 */
import { MODE_NAME_LENGTH_MAX, MODES_PER_PLATFORM_MAX, SAPIENT_NODES_MAX } from "../../limits.ts";
import { FarClock } from "../net/farClock.ts";
import type { TcpPeer } from "../net/tcpServer.ts";
import type { NodeMotion } from "./detections.ts";
import type { Fields } from "./messages.ts";

const STATUS_INTERVAL_S = 5;
/** After this many missing status reports a node may come back over another connection. */
const QUIET_INTERVALS = 3;
/** Seconds in each unit of Duration: unspecified, ns, us, ms, s, min, h, d. */
const UNIT_S = [1, 1e-9, 1e-6, 1e-3, 1, 60, 3600, 86_400];

export interface EdgeNode {
  readonly id: string;
  readonly peer: TcpPeer;
  readonly nodeType: number;
  readonly statusIntervalS: number;
  /** Its position, from the last status report that had one; null: none had. */
  motion: NodeMotion | null;
  /** SAPIENT id of the task it works on, from its last status report; null: none. */
  activeTaskId: string | null;
  readonly clock: FarClock;
  lastHeardMs: number;
}

interface RefusedNode {
  readonly reasons: readonly string[];
  /** The node is connected elsewhere right now. */
  readonly isConflict: boolean;
}

export class NodeTable {
  readonly #byId = new Map<string, EdgeNode>();
  readonly #byPeer = new Map<TcpPeer, EdgeNode>();

  get(id: string): EdgeNode | undefined {
    return this.#byId.get(id);
  }

  of(peer: TcpPeer): EdgeNode | undefined {
    return this.#byPeer.get(peer);
  }

  /** Largest clock offset of its nodes; null: none has sent a time. */
  get worstOffsetMs(): number | null {
    return FarClock.worstOffsetMs(Array.from(this.#byId.values(), ({ clock }) => clock));
  }

  register(id: string, registration: Fields, peer: TcpPeer, nowMs: number): EdgeNode | RefusedNode {
    const nodeType = nodeTypeOf(registration);
    const known = this.#byId.get(id);
    const isElsewhere = known !== undefined && known.peer !== peer;
    const isConflict = isElsewhere && nowMs - known.lastHeardMs < known.statusIntervalS * QUIET_INTERVALS * 1000;
    const before = this.#byPeer.get(peer);
    const reasons = [
      ...(nodeType === null ? ["no node type is given"] : []),
      ...(before !== undefined && before.id !== id ? [`this connection belongs to the node ${before.id}`] : []),
      ...(isConflict ? [`the node ${id} is already connected`] : []),
      ...(known === undefined && this.#byId.size >= SAPIENT_NODES_MAX ? ["too many nodes are registered"] : []),
    ];
    if (reasons.length > 0) return { reasons, isConflict };
    if (isElsewhere) {
      this.#byPeer.delete(known.peer);
      known.peer.cut();
    }
    const node: EdgeNode = {
      id,
      peer,
      nodeType: nodeType!,
      statusIntervalS: statusIntervalS(registration),
      motion: known?.motion ?? null,
      activeTaskId: known?.activeTaskId ?? null,
      clock: known?.clock ?? new FarClock(),
      lastHeardMs: nowMs,
    };
    this.#byId.set(id, node);
    this.#byPeer.set(peer, node);
    return node;
  }

  gone(peer: TcpPeer): void {
    const node = this.#byPeer.get(peer);
    if (node === undefined) return;
    this.#byPeer.delete(peer);
    this.#byId.delete(node.id);
  }
}

function nodeTypeOf(registration: Fields): number | null {
  const types = ((registration.nodeDefinition as Fields[] | undefined) ?? []).map(({ nodeType }) => Number(nodeType));
  return types.find((type) => type > 0) ?? null;
}

/** Names of the modes that the node says it has; null: it lists none. Names that `set_mode` could not carry are left out. */
export function modesOf(registration: Fields): string[] | null {
  const definitions = (registration.modeDefinition as Fields[] | undefined) ?? [];
  const names = definitions.map(({ modeName }) => String(modeName ?? ""));
  const usable = names.filter((name) => name !== "" && name.length <= MODE_NAME_LENGTH_MAX);
  const modes = [...new Set(usable)].slice(0, MODES_PER_PLATFORM_MAX);
  return modes.length === 0 ? null : modes;
}

function statusIntervalS(registration: Fields): number {
  const interval = (registration.statusDefinition as Fields | undefined)?.statusInterval as Fields | undefined;
  const intervalS = Number(interval?.value ?? STATUS_INTERVAL_S) * (UNIT_S[Number(interval?.units ?? 4)] ?? 1);
  return Number.isFinite(intervalS) ? Math.min(3600, Math.max(0.1, intervalS)) : STATUS_INTERVAL_S;
}
