import type { RepairedRequest } from "./fix.ts";

/** A request before and after its repair, laid out so that a line is an item or a part of one: for comparing line by line. */
export interface Preview {
  readonly before: string;
  readonly after: string;
  /** The element of the recorded history that each line of `before` belongs to. */
  readonly elements: readonly number[];
}

/** Elements that fit on a line of this length stay on it. */
const maxLine = 100;

export function previewOf({ step, entries }: RepairedRequest): Preview {
  const history = step.request?.history;
  const recorded = Array.from({ length: history?.length ?? 0 }, (_, index) => history?.element(index).value);
  return {
    elements: recorded.flatMap((value, index) =>
      laidOut(value)
        .split("\n")
        .map(() => index),
    ),
    before: recorded.map((value) => `${laidOut(value)}\n`).join(""),
    after: entries.map(({ element }) => `${laidOut(element.value)}\n`).join(""),
  };
}

/**
 * JSON as a person would lay it out: short values on one line, long ones a member a line. No commas at the ends of lines: a member more
 * would change the line before it.
 */
function laidOut(value: unknown, indent = ""): string {
  const flat = spaced(value);
  if (indent.length + flat.length <= maxLine || typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${inner}${laidOut(item, inner)}`).join("\n")}\n${indent}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${laidOut(member, inner)}`,
  );
  return `{\n${members.join("\n")}\n${indent}}`;
}

function spaced(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
