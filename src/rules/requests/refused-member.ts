import type { Complaint } from "../validation-errors.ts";

/**
 * The path of the member that a provider rejects, from the body on: `["tools", "0", "name"]`. Taken from the
 * error's own `param` or from what its text complains about; `undefined` if neither names one.
 */
export function refusedMember(
  complaint: Complaint | undefined,
  param: string | undefined,
): readonly string[] | undefined {
  if (param !== undefined && param !== "") return namesOf(param.slice(0, 400));
  return complaint?.path.map(String);
}

function namesOf(path: string): string[] {
  return path
    .replace(/\[(\w{1,40})\]/g, ".$1")
    .split(".")
    .filter(Boolean);
}

/**
 * The member that a text speaks of, as its path, where it gives none: `tool_choice may only be specified
 * while providing tools`. Only names of several words are surely no prose.
 */
export function spokenMember(error: string, members: readonly string[] = []): readonly string[] | undefined {
  const words = error.slice(0, 400).split(/\W/);
  const name = words.find((word) => word.includes("_") && members.includes(word));
  return name === undefined ? undefined : [name];
}
