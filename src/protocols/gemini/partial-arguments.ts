import { type Fields, fields, filled, list, string } from "../wire.ts";
import { member } from "./names.ts";

/** Array places beyond this are no arguments but an attack on memory. */
const maxIndex = 10_000;

type Node = Record<string, unknown> | unknown[];

/**
 * Puts together arguments that Vertex sends in pieces (`streamFunctionCallArguments`): each piece names its place by a
 * JSON path (`$.stops[0].city`) and carries one scalar; strings may go on in the next piece for the same path.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
export function addPartialArguments(args: Record<string, unknown>, pieces: unknown): void {
  for (const value of list(pieces)) {
    const piece = fields(value);
    const steps = stepsOf(string(member(piece, "jsonPath")) ?? "");
    if (steps) write(args, steps, scalarOf(piece));
  }
}

function scalarOf(piece: Fields): unknown {
  const text = member(piece, "stringValue");
  if (typeof text === "string") return text;
  return member(piece, "numberValue") ?? member(piece, "boolValue") ?? null;
}

/** `$.stops[0]['first name']` as steps; `undefined` for paths that name no single place. */
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

/** Names from a log are data, `__proto__` too. */
function set(node: Node, step: string | number, value: unknown): void {
  Object.defineProperty(node, step, { value, enumerable: true, writable: true, configurable: true });
}
