import { widthOf } from "../reporters/width.ts";
import { wrapped } from "./wrap.ts";

/** A line of an example: as it is where it fits, else JSON broken at its members and text at its spaces. */
export function exampleLines(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const value = parsed(line);
  return value === undefined ? wrapped(line, width, "", "  ") : fitted(value, width);
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON in which everything that fits on a line stands on one. `before` and `after` belong to its first and last line. */
function fitted(value: unknown, width: number, indent = "", before = "", after = ""): string[] {
  const whole = `${indent}${before}${JSON.stringify(value)}${after}`;
  if (widthOf(whole) <= width || typeof value !== "object" || value === null) return [whole];
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const inner = members.flatMap(([key, member], index) =>
    fitted(
      member,
      width,
      `${indent}  `,
      isList ? "" : `${JSON.stringify(key)}: `,
      index < members.length - 1 ? "," : "",
    ),
  );
  return [`${indent}${before}${isList ? "[" : "{"}`, ...inner, `${indent}${isList ? "]" : "}"}${after}`];
}
