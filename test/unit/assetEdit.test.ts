/** `decideEdit`: a row in, a row or a refusal out. */
import { expect, test } from "vitest";
import type { Asset } from "../../src/domain/asset.ts";
import type { CatalogEntry } from "../../src/domain/catalogue.ts";
import { decideEdit } from "../../src/features/assets/edit.ts";
import { resolveModel } from "../../src/features/catalogue/resolveModel.ts";

const ROW = {
  id: "ast_1",
  kind: "vehicle",
  name: "Hawk",
  domain: "air",
  spec: { model: "Chg" },
  switches: {},
  version: 1,
} as unknown as Asset;

const entry = (type: string, domain: string) =>
  ({ id: "1", name: "Chg", kind: "x", spec: { type, domain } }) as unknown as CatalogEntry;

const edited = (type: string, domain: string) => {
  const model = resolveModel("CHG", [entry(type, domain)]);
  return decideEdit({
    row: ROW,
    current: model,
    host: null,
    isHost: false,
    find: () => undefined,
    body: { spec: {}, model: "CHG" },
    model,
  });
};

test("[AS-62] an edit with another spelling of the model is judged like another model: kind and domain must agree", () => {
  expect(edited("radar_3d_rotating", "sensor")).toMatchObject({ code: "domain_mismatch" });
  expect(edited("bird", "contact")).toMatchObject({ code: "invalid_spec" });
  expect(edited("hexarotor", "air")).toMatchObject({ kind: "vehicle", domain: "air", spec: { model: "Chg" } });
});
