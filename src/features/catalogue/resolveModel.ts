/**
 * What does a catalogue name mean? Pure (contract, Decision 13; §4.2.5). A name is compared without regard to case,
 * spaces, hyphens and underscores, and answered in the catalogue's own spelling. A workspace's entry comes before the
 * built-in of the same name, since that entry is the workspace's own, possibly edited, copy of it.
 */
import type {
  BuiltinPlatform,
  CatalogEntry,
  CatalogSpec,
  CatalogueType,
  ResolvedModel,
} from "../../domain/catalogue.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { assert } from "../../lib/assert.ts";
import { BUILTINS } from "./builtins.ts";
import { capabilityOf } from "./defaults.ts";
import { completeSpec } from "./parseSpec.ts";
import { SENSOR_MODELS } from "./sensorProfiles.ts";
import { TYPE_BY_KEY, TYPES } from "./types/catalogueTypes.ts";

export function nameKey(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "");
}

type Named = Pick<BuiltinPlatform, "name" | "kind" | "spec">;

function fromSpec(origin: "entry" | "builtin", found: Named): ResolvedModel {
  const spec = completeSpec(found.spec);
  const type = TYPE_BY_KEY.get(spec.type);
  assert(type !== undefined, `${found.name} was stored with an unknown type ${spec.type}`);
  const capability = spec.capability ?? capabilityOf(type, typicalOf(type, spec.sensor_profile_id));
  return { origin, name: found.name, kind: found.kind, spec, capability };
}

/** The profile that tells what a sensor of this type measures and whether it is pointed: its own, or the list's first. */
function typicalOf(type: CatalogueType, profileId: string | null | undefined): SensorProfile | null {
  const own = SENSOR_MODELS.find(({ profile }) => profile.id === profileId);
  return (own ?? SENSOR_MODELS.find((model) => model.type === type.key))?.profile ?? null;
}

/** A row's own name beats another row's alias, so that adding an alias never captures a name. */
function findNamed<T extends Named>(rows: readonly T[], key: string): T | undefined {
  return (
    rows.find((row) => nameKey(row.name) === key) ??
    rows.find((row) => row.spec.model !== undefined && nameKey(row.spec.model) === key) ??
    rows.find((row) => row.spec.aliases?.some((alias) => nameKey(alias) === key))
  );
}

export function resolveModel(name: string, entries: readonly CatalogEntry[]): ResolvedModel | null {
  const key = nameKey(name);
  if (key === "") return null;
  const entry = findNamed(entries, key);
  if (entry !== undefined) return fromSpec("entry", entry);
  const builtin = findNamed(BUILTINS, key);
  if (builtin !== undefined) return fromSpec("builtin", builtin);

  const model = SENSOR_MODELS.find(({ profile }) => nameKey(profile.id) === key);
  if (model !== undefined) {
    const { id } = model.profile;
    const type = TYPE_BY_KEY.get(model.type)!;
    const spec: CatalogSpec = { type: type.key, domain: type.domain, model: id, sensor_profile_id: id };
    return {
      origin: "sensor_profile",
      name: id,
      kind: "sensor",
      spec: completeSpec(spec),
      capability: capabilityOf(type, model.profile),
    };
  }
  const type = TYPES.find((one) => nameKey(one.key) === key);
  if (type === undefined) return null;
  const spec = completeSpec({ type: type.key, domain: type.domain, model: type.key });
  return {
    origin: "type",
    name: type.key,
    kind: type.kind,
    spec,
    capability: capabilityOf(type, typicalOf(type, null)),
  };
}
