import { createRequire } from "node:module";

/**
 * Modules of Node that few checks need, loaded when one is asked for: each takes as long as a chunk of the
 * program, and `import` also reads every export of it.
 */

let load: NodeJS.Require | undefined;

export function nodeCrypto(): typeof import("node:crypto") {
  return required("node:crypto");
}

export function nodeUtil(): typeof import("node:util") {
  return required("node:util");
}

function required(name: string): ReturnType<NodeJS.Require> {
  load ??= createRequire(import.meta.url);
  return load(name);
}
