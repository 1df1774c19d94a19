/**
 * The path of the member that a provider rejects, from the body on: `["tools", "0", "name"]`. Taken from the
 * error's own `param` or from its text; `undefined` if neither names one.
 */
export function refusedMember(text: string, param?: string): readonly string[] | undefined {
  if (param !== undefined && param !== "") return namesOf(param.slice(0, 400));
  for (const pattern of patterns) {
    const named = pattern.exec(text.slice(0, 4_000))?.[1];
    if (named !== undefined) return namesOf(named);
  }
  return undefined;
}

function namesOf(path: string): string[] {
  return path
    .replace(/\[(\w{1,40})\]/g, ".$1")
    .split(".")
    .filter(Boolean);
}

/** `tools[0].function`, `messages.3.content`. */
const path = "([A-Za-z_][\\w.[\\]]{0,200}\\w\\]?)";
const quote = "['\"`\\\\]{0,3}";

/** Every form was reported; the page of `invalid-request` has the sources. */
const patterns: readonly RegExp[] = [
  new RegExp(`unrecognized request arguments? supplied: ?${quote}${path}`, "i"),
  new RegExp(`(?:unknown|unsupported|missing required) parameter:? ?${quote}${path}`, "i"),
  new RegExp(`(?:unsupported value|invalid value for|invalid type for):? ?${quote}${path}${quote}`, "i"),
  new RegExp(`(?:^|["'{:] ?)${path}: (?:extra inputs are not permitted|field required|input should be)`, "i"),
  new RegExp(`unknown name ${quote}${path}${quote}(?! ?at)`, "i"),
];
