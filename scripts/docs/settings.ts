/** The table of settings in README and the file .env.example, both made from the one definition in src/config.ts. */
import type { Variable } from "../../src/lib/settings.ts";

const BEGIN = "<!-- settings:begin -->";
const END = "<!-- settings:end -->";

const HEAD = `# Settings of Picket, each with its default. Copy this file to .env, change what you need, and start with
#   npm start -- --settings .env
# A variable of the environment wins over this file. Written by "npm run docs" from src/config.ts.
`;

function readmeRow({ name, fallback, meaning, isSecret }: Variable): string {
  return `| \`${name}\`${isSecret ? `, \`${name}_FILE\`` : ""} | ${fallback} | ${meaning} |`;
}

export function settingsTable(variables: readonly Variable[]): string {
  return ["| Variable | Default | Meaning |", "|---|---|---|", ...variables.map(readmeRow)].join("\n");
}

/** `page` with the table between its two marks. */
export function withSettingsTable(page: string, variables: readonly Variable[]): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the page has no ${BEGIN} followed by ${END}`);
  return `${page.slice(0, from + BEGIN.length)}\n${settingsTable(variables)}\n${page.slice(to)}`;
}

export function envExample(variables: readonly Variable[]): string {
  const entries = variables.map(({ name, fallback, meaning, example, isSecret }) => {
    const file = isSecret ? `. ${name}_FILE may name a file that holds the value` : "";
    return `\n# ${meaning}\n# Default: ${fallback}${file}.\n#${name}=${example}\n`;
  });
  return HEAD + entries.join("");
}
