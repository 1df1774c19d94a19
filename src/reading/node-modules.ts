import { createRequire } from "node:module";

/**
 * Modules of Node that few checks need, loaded when one is asked for: each takes as long as a chunk of the
 * program, and `import` also reads every export of it.
 */

const load = createRequire(import.meta.url);

export function nodeCrypto(): typeof import("node:crypto") {
  return load("node:crypto");
}

export function nodeUtil(): typeof import("node:util") {
  return load("node:util");
}
