import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

export interface Finished {
  readonly code: number | null;
  /** Both streams. */
  readonly output: string;
}

/** Runs a program of Node's in a folder. */
export function run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Finished {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...env },
  });
  return { code: status, output: stdout + stderr };
}

/** The package as `npm publish` would send it, unpacked into a folder: what dist/ holds now. */
export function packed(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toollint-packed-"));
  const args = ["pack", "--ignore-scripts", "--pack-destination", folder];
  const npm = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  const [file] = readdirSync(folder);
  if (npm.status !== 0 || file === undefined) throw new Error(npm.stderr);
  spawnSync("tar", ["-xzf", file], { cwd: folder });
  return path.join(folder, "package");
}

/** A project that has installed the unpacked package and, as links, some of what this project has. */
export function consumer(
  unpacked: string,
  dependencies: readonly string[],
  files: Readonly<Record<string, string>>,
): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toollint-consumer-"));
  const modules = path.join(folder, "node_modules");
  cpSync(unpacked, path.join(modules, "toollint"), { recursive: true });
  for (const name of dependencies) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, "node_modules", name), path.join(modules, name));
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

export const tsc = path.join(root, "node_modules/typescript/bin/tsc");
export const jest = path.join(root, "node_modules/jest/bin/jest.js");
