import { type Fields, fields, filled, list, string } from "../wire.ts";
import { member } from "./names.ts";

/** A larger array index is not an argument but an attack on memory. */
const maxIndex = 10_000;

type Node = Record<string, unknown> | unknown[];

/**
 * Assembles arguments that Vertex streams in fragments (`streamFunctionCallArguments`). Each fragment names
 * its place by a JSON path (`$.stops[0].city`) and carries one scalar; a string may continue in the next
 * fragment for the same path.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
export function addPartialArguments(args: Record<string, unknown>, chunks: unknown): void {
  for (const value of list(chunks)) {
    const chunk = fields(value);
    const steps = stepsOf(string(member(chunk, "jsonPath")) ?? "");
    if (steps) write(args, steps, scalarOf(chunk));
  }
}

function scalarOf(chunk: Fields): unknown {
  const text = member(chunk, "stringValue");
  if (typeof text === "string") return text;
  return member(chunk, "numberValue") ?? member(chunk, "boolValue") ?? null;
}

/** Splits `$.stops[0]['first name']` into steps; `undefined` for paths that name more than one place. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const pattern = /\.([^.[\]]+)|\[(\d{1,5})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
  const steps: (string | number)[] = [];
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const found = pattern.exec(path);
    if (!found) return undefined;
    const index = filled(found[2]);
    if (index !== undefined && Number(index) > maxIndex) return undefined;
    steps.push(index === undefined ? (found[1] ?? found[3] ?? found[4] ?? "") : Number(index));
  }
  return steps.length > 0 ? steps : undefined;
}

function write(root: Node, steps: readonly (string | number)[], value: unknown): void {
  let node = root;
  for (const [depth, step] of steps.entries()) {
    const isLast = depth === steps.length - 1;
    const before = Object.hasOwn(node, step) ? (node as Record<string | number, unknown>)[step] : undefined;
    if (isLast) {
      const isContinued = typeof before === "string" && typeof value === "string";
      set(node, step, isContinued ? before + value : value);
      return;
    }
    const next =
      typeof before === "object" && before !== null
        ? (before as Node)
        : typeof steps[depth + 1] === "number"
          ? []
          : {};
    if (next !== before) set(node, step, next);
    node = next;
  }
}

/** Names from a log are data, including `__proto__`. */
function set(node: Node, step: string | number, value: unknown): void {
  Object.defineProperty(node, step, { value, enumerable: true, writable: true, configurable: true });
}
