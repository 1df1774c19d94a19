import { isSecretName } from "../secrets/names.ts";
import { masked, visibleJson } from "./visible.ts";

/** JSON with credentials masked, also in member names, and invisible characters escaped. */
export function maskedJson(value: unknown, space = 0): string {
  return visibleJson(JSON.stringify(value, maskedPart, space));
}

function maskedPart(name: string, part: unknown): unknown {
  if (typeof part === "string") return isSecretName(name) ? "***" : masked(part);
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  if (Object.keys(part).every((name) => masked(name) === name)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [masked(name), member]));
}
