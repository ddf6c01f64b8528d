/** An asset's row as a form edits it (docs/interface.md#assets), secrets left out. Pure. */
import type { Asset, AssetView } from "../../domain/asset.ts";

export function registrationOf({
  spec,
  connection,
  placement,
  payloads,
  version,
}: Asset): NonNullable<AssetView["registration"]> {
  return {
    catalog_name: typeof spec.model === "string" ? spec.model : null,
    spec,
    connection: connection === null ? null : withoutSecret(connection),
    placement,
    payloads,
    version,
  };
}

function withoutSecret({ secret_ref: _, ...rest }: NonNullable<Asset["connection"]>) {
  return rest;
}
