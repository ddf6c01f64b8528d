/**
 * A source file as the tidy checks see it: its imports and exports, its functions with their lengths, and the names it uses.
 * Uses the parser that comes with Vitest; knows no rule.
 */
import { dirname, join, normalize } from "node:path/posix";
import { parseAst } from "vitest/node";

export interface SourceFile {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  /** A path from the root for a file of the repository, else the package's specifier. */
  readonly target: string;
  readonly typeOnly: boolean;
  /** Names of the target's exports; ["*"] when the whole module is taken. */
  readonly names: readonly string[];
}

interface Declared {
  readonly name: string;
  readonly line: number;
}

interface FunctionFact {
  readonly name: string;
  readonly line: number;
  /** With the functions inside it. */
  readonly lines: number;
  /** Without the functions inside it. */
  readonly ownLines: number;
  /** It returns an object of its inner functions: a class in the form of a closure. */
  readonly returnsMethods: boolean;
}

/** `Date.now`, `new Date`, `setTimeout`: a member, a call or a construction, by its dotted name. */
interface Use {
  readonly name: string;
  readonly line: number;
}

export interface ParsedFile extends SourceFile {
  readonly lineCount: number;
  readonly imports: readonly Import[];
  /** Files of the repository that are named in a string: `new URL("./worker.ts", …)`, `spawn(node, ["src/main.ts"])`. */
  readonly mentions: readonly string[];
  readonly functions: readonly FunctionFact[];
  readonly uses: readonly Use[];
  /** Declared and exported here; re-exports are not among them. */
  readonly exports: readonly Declared[];
  /** Interfaces, type aliases and classes of the file's top level. */
  readonly types: readonly Declared[];
  readonly reExportsOnly: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const TYPES = new Set(["TSInterfaceDeclaration", "TSTypeAliasDeclaration", "ClassDeclaration"]);
const MODULE_REFERENCES = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
]);

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** "a.b.c" for a chain of plain members, "" for anything else. */
function dottedName(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  if (node.type !== "MemberExpression" || node.computed === true) return "";
  const object = dottedName(node.object);
  const property = dottedName(node.property);
  return object === "" ? `?.${property}` : `${object}.${property}`;
}

function resolveTarget(fromPath: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  // The AssemblyScript compiler adds the ending itself.
  const path = specifier.endsWith(".ts") || !fromPath.startsWith("assembly/") ? specifier : `${specifier}.ts`;
  return normalize(join(dirname(fromPath), path));
}

/** The names that an import, or an export from another file, takes. */
function namesTaken(node: Node): string[] {
  if (!Array.isArray(node.specifiers)) return ["*"];
  return (node.specifiers as Node[]).map((specifier) => {
    if (specifier.type === "ImportNamespaceSpecifier") return "*";
    if (specifier.type === "ImportDefaultSpecifier") return "default";
    return dottedName(specifier.imported ?? specifier.local);
  });
}

/** The names that a top-level declaration introduces: a class, a function, a type, or its variables. */
function namesDeclared(node: Node): string[] {
  const declarators = Array.isArray(node.declarations) ? (node.declarations as Node[]) : [node];
  return declarators.map(({ id }) => dottedName(id)).filter((name) => name !== "");
}

const WRAPPERS = new Set(["ParenthesizedExpression", "TSAsExpression", "TSSatisfiesExpression"]);
function unwrapped(node: unknown): Node | null {
  if (!isNode(node)) return null;
  return WRAPPERS.has(node.type) ? unwrapped(node.expression) : node;
}

/** The objects that a function returns, and the names of the functions in it; those of inner functions are theirs. */
function ownReturns(fn: Node): { readonly objects: readonly Node[]; readonly functions: ReadonlySet<string> } {
  const objects: Node[] = [];
  const functions = new Set<string>();
  const note = (node: unknown) => {
    const value = unwrapped(node);
    if (value?.type === "ObjectExpression") objects.push(value);
  };
  const visit = (node: Node): void => {
    if (node.type === "FunctionDeclaration") functions.add(dottedName(node.id));
    if (node.type === "VariableDeclarator" && FUNCTIONS.has(unwrapped(node.init)?.type ?? ""))
      functions.add(dottedName(node.id));
    if (node.type === "ReturnStatement") note(node.argument);
    if (!FUNCTIONS.has(node.type)) for (const child of childrenOf(node)) visit(child);
  };
  if (isNode(fn.body)) {
    note(fn.body);
    visit(fn.body);
  }
  return { objects, functions };
}

function returnsMethods(fn: Node): boolean {
  const { objects, functions } = ownReturns(fn);
  return objects.some((object) =>
    (object.properties as Node[]).some(({ value }) => {
      const member = unwrapped(value);
      if (member === null) return false;
      return FUNCTIONS.has(member.type) || (member.type === "Identifier" && functions.has(String(member.name)));
    }),
  );
}

function isTypeOnly(node: Node): boolean {
  if (node.importKind === "type" || node.exportKind === "type") return true;
  const specifiers = node.specifiers;
  if (!Array.isArray(specifiers) || specifiers.length === 0) return false;
  return specifiers.every((s) => s.importKind === "type" || s.exportKind === "type");
}

class Collector {
  readonly imports: Import[] = [];
  readonly mentions: string[] = [];
  readonly functions: FunctionFact[] = [];
  readonly uses: Use[] = [];
  readonly exports: Declared[] = [];
  readonly types: Declared[] = [];
  readonly #path: string;
  readonly #lineStarts: number[] = [0];

  constructor(file: SourceFile) {
    this.#path = file.path;
    for (let i = file.text.indexOf("\n"); i >= 0; i = file.text.indexOf("\n", i + 1)) this.#lineStarts.push(i + 1);
  }

  /** Declarations of the top level. */
  collectDeclared(body: readonly Node[]): void {
    for (const statement of body) {
      const isExport = statement.type === "ExportNamedDeclaration";
      const declared = isExport ? statement.declaration : statement;
      if (!isNode(declared)) continue;
      const line = this.#lineAt(declared.start);
      for (const name of namesDeclared(declared)) {
        if (isExport) this.exports.push({ name, line });
        if (TYPES.has(declared.type)) this.types.push({ name, line });
      }
    }
  }

  #lineAt(offset: number): number {
    return this.#lineStarts.findLastIndex((start) => start <= offset) + 1;
  }

  #lines(node: Node): number {
    return this.#lineAt(node.end) - this.#lineAt(node.start) + 1;
  }

  /** Returns the number of lines of the outermost functions at or below the node. */
  walk(node: Node, name: string): number {
    this.#collect(node);
    let inner = 0;
    for (const child of childrenOf(node)) inner += this.walk(child, this.#nameFor(node) || name);
    if (!FUNCTIONS.has(node.type)) return inner;
    const total = this.#lines(node);
    this.functions.push({
      name: dottedName(node.id) || name,
      line: this.#lineAt(node.start),
      lines: total,
      ownLines: total - inner,
      returnsMethods: returnsMethods(node),
    });
    return total;
  }

  #nameFor(node: Node): string {
    if (node.type === "VariableDeclarator") return dottedName(node.id);
    if (node.type === "MethodDefinition" || node.type === "Property") return dottedName(node.key);
    return "";
  }

  #collect(node: Node): void {
    const line = this.#lineAt(node.start);
    if (MODULE_REFERENCES.has(node.type) && isNode(node.source) && typeof node.source.value === "string")
      this.imports.push({
        target: resolveTarget(this.#path, node.source.value),
        typeOnly: isTypeOnly(node),
        names: namesTaken(node),
      });
    if (node.type === "TSImportType" && isNode(node.source) && typeof node.source.value === "string")
      this.imports.push({ target: resolveTarget(this.#path, node.source.value), typeOnly: true, names: ["*"] });
    if (node.type === "Literal" && typeof node.value === "string" && /\.(ts|mjs)$/.test(node.value))
      this.mentions.push(normalize(node.value), normalize(join(dirname(this.#path), node.value)));
    if (node.type === "MemberExpression") this.uses.push({ name: dottedName(node), line });
    if (node.type === "CallExpression" && isNode(node.callee) && node.callee.type === "Identifier")
      this.uses.push({ name: `${dottedName(node.callee)}()`, line });
    if (node.type === "TaggedTemplateExpression") this.uses.push({ name: `${dottedName(node.tag)}\`\``, line });
    if (node.type === "NewExpression" && Array.isArray(node.arguments) && node.arguments.length === 0)
      this.uses.push({ name: `new ${dottedName(node.callee)}()`, line });
  }
}

export function parse(file: SourceFile): ParsedFile {
  // AssemblyScript puts decorators on functions, which TypeScript has no syntax for; blanks keep the positions.
  const plain = file.path.startsWith("assembly/")
    ? file.text.replace(/^[ \t]*@\w+(\([^)\n]*\))?/gm, (d) => " ".repeat(d.length))
    : file.text;
  const program = parseAst(plain, { lang: "ts" }) as unknown as Node;
  const collector = new Collector(file);
  collector.walk(program, "(top level)");
  const body = program.body as Node[];
  collector.collectDeclared(body);
  return {
    ...file,
    lineCount: file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0),
    imports: collector.imports,
    mentions: collector.mentions,
    functions: collector.functions,
    uses: collector.uses,
    exports: collector.exports,
    types: collector.types,
    reExportsOnly: body.length > 0 && body.every((node) => node.type.startsWith("Export") && isNode(node.source)),
  };
}
