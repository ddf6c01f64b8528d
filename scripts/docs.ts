/** `npm run docs`: writes README's table of settings and .env.example. A test checks that both are current. */
import { readFileSync, writeFileSync } from "node:fs";
import { VARIABLES } from "../src/config.ts";
import { envExample, withSettingsTable } from "./docs/settings.ts";
import { readArguments } from "./usage.ts";

readArguments(
  `npm run docs

Writes the table of settings in README.md and the file .env.example from src/config.ts.`,
  {},
);
writeFileSync("README.md", withSettingsTable(readFileSync("README.md", "utf8"), VARIABLES));
writeFileSync(".env.example", envExample(VARIABLES));
