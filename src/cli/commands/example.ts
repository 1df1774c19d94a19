import { widthOf } from "../../reporters/width.ts";
import { wrapped } from "../terminal/wrap.ts";

/** An example line: unchanged if it fits, otherwise JSON broken at its members and text at its spaces. */
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

/** Depth below which JSON is not laid out: examples contain many messages. */
const laidOut = 3;

/** JSON laid out to fit `width`. `before` and `after` are added to its first and last line. */
function fitted(value: unknown, width: number, depth = 0, before = "", after = ""): string[] {
  const indent = "  ".repeat(depth);
  const whole = `${before}${JSON.stringify(value)}${after}`;
  if (indent.length + widthOf(whole) <= width || typeof value !== "object" || value === null)
    return [`${indent}${whole}`];
  if (depth >= laidOut) return flowing(whole, width, indent);
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const inner = members.flatMap(([key, member], index) =>
    fitted(
      member,
      width,
      depth + 1,
      isList ? "" : `${JSON.stringify(key)}: `,
      index < members.length - 1 ? "," : "",
    ),
  );
  return [`${indent}${before}${isList ? "[" : "{"}`, ...inner, `${indent}${isList ? "]" : "}"}${after}`];
}

/** JSON wrapped over several lines, after a comma or before a bracket where possible. */
function flowing(json: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let rest = json;
  while (rest !== "") {
    const margin = lines.length === 0 ? indent : `${indent}  `;
    const room = Math.max(20, width - margin.length);
    const at = rest.length <= room ? rest.length : (lastBreak(rest.slice(0, room)) ?? room);
    lines.push(margin + rest.slice(0, at));
    rest = rest.slice(at);
  }
  return lines;
}

function lastBreak(text: string): number | undefined {
  const places = [...text.matchAll(/,(?=")|(?<=[:[])(?=[{[])/g)].map(
    ({ 0: mark, index }) => index + mark.length,
  );
  return places.findLast((at) => at > text.length / 2);
}
