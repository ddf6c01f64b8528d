/**
 * Resolves a catalogue name (docs/interface.md#registration, #asset-views). Pure. Names are compared without case, spaces,
 * hyphens and underscores; the result has the catalogue's spelling. A workspace's entry comes before the built-in of the same
 * name, because it is the workspace's own copy of it, possibly edited.
 */
import type {
  BuiltinPlatform,
  CatalogEntry,
  CatalogSpec,
  CatalogueType,
  ResolvedModel,
} from "../../domain/catalogue.ts";
import { DEFAULT_PROFILE } from "../../domain/defaultProfiles.ts";
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

/** Whether an asset's model, in whatever spelling, is the entry with this name. */
export function isNameOf({ name }: CatalogEntry): (asked: string) => boolean {
  const key = nameKey(name);
  return (asked) => nameKey(asked) === key;
}

type Named = Pick<BuiltinPlatform, "name" | "kind" | "spec">;

function fromSpec(origin: "entry" | "builtin", found: Named): ResolvedModel {
  const spec = completeSpec(found.spec);
  const type = TYPE_BY_KEY.get(spec.type);
  assert(type !== undefined, `${found.name} was stored with an unknown type ${spec.type}`);
  const capability = spec.capability ?? capabilityOf(type, typicalOf(type, spec.sensor_profile_id));
  // The type decides the kind: an entry's own `kind` is free text.
  return { origin, name: found.name, kind: type.kind, spec, capability };
}

/**
 * The profile with what a sensor of this type measures and whether it can be pointed: its own, else the list's first of the
 * type.
 */
function typicalOf(type: CatalogueType, profileId: string | null | undefined): SensorProfile | null {
  const own = SENSOR_MODELS.find(({ profile }) => profile.id === profileId);
  return (own ?? SENSOR_MODELS.find((model) => model.type === type.key))?.profile ?? null;
}

/** The generic model of a modality, for a source that pushed before it was registered. */
function fromGeneric(key: string): ResolvedModel | null {
  const profile = Object.values(DEFAULT_PROFILE).find(({ id }) => nameKey(id) === key);
  const typical = SENSOR_MODELS.find((model) => model.profile.modality === profile?.modality);
  if (profile === undefined || typical === undefined) return null;
  const type = TYPE_BY_KEY.get(typical.type)!;
  return {
    origin: "sensor_profile",
    name: profile.id,
    kind: "sensor",
    // Without a `sensor_profile_id`, because the generic profiles are not in the list.
    spec: completeSpec({ type: type.key, domain: type.domain, model: profile.id }),
    capability: { ...capabilityOf(type, profile), modalities: [profile.modality] },
  };
}

/** Names come before aliases, so that a new alias never takes over the name of another row. */
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
  const generic = fromGeneric(key);
  if (generic !== null) return generic;
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
