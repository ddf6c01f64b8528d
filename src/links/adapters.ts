/** The adapters of this build, one for each protocol family. A family without one is `planned` in the catalogue. */
import type { LinkAdapter } from "./adapter.ts";
import { readsbAdapter } from "./adsb/readsbAdapter.ts";
import { sbsAdapter } from "./adsb/sbsAdapter.ts";
import { cotAdapter } from "./cot/adapter.ts";
import { mavlinkAdapter } from "./mavlink/adapter.ts";
import { remoteIdAdapter } from "./remoteId/adapter.ts";
import { sapientAdapter } from "./sapient/adapter.ts";

export const ADAPTERS: readonly LinkAdapter[] = [
  mavlinkAdapter,
  readsbAdapter,
  sbsAdapter,
  remoteIdAdapter,
  cotAdapter,
  sapientAdapter,
];
