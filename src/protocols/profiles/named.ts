import { profiles } from "./index.ts";
import type { NamedProfile } from "./judge.ts";

/** The profile for `NAME` or `NAME/MODEL`; `undefined` if there is none. */
export function namedProfile(text: string, as: NamedProfile["as"]): NamedProfile | undefined {
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(0, slash);
  const profile = profiles.find((known) => known.name === name.toLowerCase());
  const model = slash < 0 ? "" : text.slice(slash + 1);
  return profile && { profile, as, ...(model !== "" && { model }) };
}
