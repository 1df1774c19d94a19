import { isSecretName } from "../secrets/names.ts";
import { masked, visibleJson } from "./visible.ts";

/** JSON with credentials masked, also in member names, and invisible characters escaped. */
export function maskedJson(value: unknown, space = 0): string {
  return visibleJson(JSON.stringify(value, maskedPart, space));
}

function maskedPart(name: string, part: unknown): unknown {
  if (typeof part === "string") return isSecretName(name) ? "***" : masked(part);
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  if (Object.keys(part).every((name) => maskedName(name) === name)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [maskedName(name), member]));
}

/** Names as they are masked: a report has few, many times. */
const names = new Map<string, string>();
/** As many names are remembered, up to this length: a log may have as many names as values. */
const mostNames = 1000;
const longestName = 64;

function maskedName(name: string): string {
  if (name.length > longestName) return masked(name);
  let known = names.get(name);
  if (known === undefined) {
    known = masked(name);
    if (names.size < mostNames) names.set(name, known);
  }
  return known;
}
