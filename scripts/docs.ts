/** `npm run docs`: writes what the documents say about settings from their one definition. A test checks that it is current. */
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
