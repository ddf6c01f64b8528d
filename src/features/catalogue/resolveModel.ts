/**
 * What does a catalogue name mean? Pure (docs/interface.md#registration, #asset-views). A name is compared without regard
 * to case, spaces, hyphens and underscores, and answered in the catalogue's own spelling. A workspace's entry comes before
 * the built-in of the same name, since that entry is the workspace's own, possibly edited, copy of it.
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

/** Assets name their model by the entry's name, in any spelling. */
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
  // A row's own `kind` is a word for people; what a thing is, its type says.
  return { origin, name: found.name, kind: type.kind, spec, capability };
}

/** The profile that tells what a sensor of this type measures and whether it is pointed: its own, or the list's first. */
function typicalOf(type: CatalogueType, profileId: string | null | undefined): SensorProfile | null {
  const own = SENSOR_MODELS.find(({ profile }) => profile.id === profileId);
  return (own ?? SENSOR_MODELS.find((model) => model.type === type.key))?.profile ?? null;
}

/** What a source that pushed before anybody registered it is taken for: the generic model of its modality. */
function fromGeneric(key: string): ResolvedModel | null {
  const profile = Object.values(DEFAULT_PROFILE).find(({ id }) => nameKey(id) === key);
  const typical = SENSOR_MODELS.find((model) => model.profile.modality === profile?.modality);
  if (profile === undefined || typical === undefined) return null;
  const type = TYPE_BY_KEY.get(typical.type)!;
  return {
    origin: "sensor_profile",
    name: profile.id,
    kind: "sensor",
    // No `sensor_profile_id`: the list has no such row, and without one the profile is the generic one.
    spec: completeSpec({ type: type.key, domain: type.domain, model: profile.id }),
    capability: { ...capabilityOf(type, profile), modalities: [profile.modality] },
  };
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
