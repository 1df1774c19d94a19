import { type Fields, fields, filled, list, string } from "../wire.ts";
import { member } from "./names.ts";

/** Deeper paths are refused, as arguments are walked by recursion later. Real ones stay under 10. */
const maxSteps = 100;

/** Fragments fill a list in order. One that skips more elements than this would cost memory for nothing. */
const maxGap = 10;

type Node = Record<string, unknown> | unknown[];

/**
 * Assembles arguments that Vertex streams in fragments (`streamFunctionCallArguments`). Each fragment names
 * its place by a JSON path (`$.stops[0].city`) and carries one scalar; a string may continue in the next
 * fragment for the same path. Returns the first path that leads to no single place, or too far: its value is
 * left out.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
export function addPartialArguments(args: Record<string, unknown>, chunks: unknown): string | undefined {
  let unplaced: string | undefined;
  for (const value of list(chunks)) {
    const chunk = fields(value);
    const path = string(member(chunk, "jsonPath"));
    if (path === undefined) continue;
    const steps = stepsOf(path);
    if (!steps || !write(args, steps, scalarOf(chunk))) unplaced ??= path;
  }
  return unplaced;
}

function scalarOf(chunk: Fields): unknown {
  const text = member(chunk, "stringValue");
  if (typeof text === "string") return text;
  return member(chunk, "numberValue") ?? member(chunk, "boolValue") ?? null;
}

/** Splits `$.stops[0]['first name']` into steps; `undefined` for paths that name no single place. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const pattern = /\.([^.[\]]+)|\[(\d{1,5})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
  const steps: (string | number)[] = [];
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const found = pattern.exec(path);
    if (!found) return undefined;
    const index = filled(found[2]);
    steps.push(index === undefined ? (found[1] ?? found[3] ?? found[4] ?? "") : Number(index));
    if (steps.length > maxSteps) return undefined;
  }
  return steps.length > 0 ? steps : undefined;
}

/** Writes a value to its place; false for an element that is far behind the end of its list. */
function write(root: Node, steps: readonly (string | number)[], value: unknown): boolean {
  let node = root;
  for (const [depth, step] of steps.entries()) {
    const isLast = depth === steps.length - 1;
    const before = Object.hasOwn(node, step) ? (node as Record<string | number, unknown>)[step] : undefined;
    if (isLast) {
      const isContinued = typeof before === "string" && typeof value === "string";
      set(node, step, isContinued ? before + value : value);
      return true;
    }
    const next =
      typeof before === "object" && before !== null
        ? (before as Node)
        : typeof steps[depth + 1] === "number"
          ? []
          : {};
    if (Array.isArray(next) && Number(steps[depth + 1]) > next.length + maxGap) return false;
    if (next !== before) set(node, step, next);
    node = next;
  }
  return true;
}

/** Names from a log are data, including `__proto__`. */
function set(node: Node, step: string | number, value: unknown): void {
  Object.defineProperty(node, step, { value, enumerable: true, writable: true, configurable: true });
}
