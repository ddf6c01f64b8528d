/** The adapters of this build, one a protocol family. A family that is not here is `planned` in the catalogue. */
import type { LinkAdapter } from "./adapter.ts";
import { mavlinkAdapter } from "./mavlink/adapter.ts";

export const ADAPTERS: readonly LinkAdapter[] = [mavlinkAdapter];
