import type { Request } from "../conversation/exchange.ts";
import { pointerToken, valueAt } from "../reading/pointer.ts";
import { jsonType } from "../reading/values.ts";
import type { Complaint } from "../rules/validation-errors.ts";

/**
 * The pointer to the value in a request that a complaint names, or to the nearest value around it, where the
 * member is missing. `undefined` if the request has nothing of the path.
 */
export function resolvePath(request: Request, { path, words }: Complaint): string | undefined {
  const [root, index] = path;
  const base = request.historyPointer.replace(/\/[^/]*$/, "");
  const history = request.historyPointer.slice(base.length + 1);
  if (root !== history || typeof index === "number") return walk(request, base, path);
  // Go and some gateways name no index, but the type that they saw.
  const seen = /unmarshal (\w{1,20}) into/i.exec(words)?.[1];
  if (seen === undefined) return undefined;
  const below = path
    .slice(1)
    .map((segment) => `/${pointerToken(`${segment}`)}`)
    .join("");
  for (let at = 0; at < request.history.length; at++)
    if (jsonType(valueAt(request.history.element(at).value, below)) === seen.toLowerCase())
      return `${request.historyPointer}/${at}${below}`;
  return undefined;
}

/**
 * Follows the path as far as the body has it. Validators write members in the case of their own language, and
 * put the kind of a block between its index and its members: such segments are passed over.
 */
function walk({ place }: Request, base: string, path: Complaint["path"]): string | undefined {
  let pointer = base;
  for (const segment of path) {
    const names = [`${segment}`, camel(`${segment}`), snake(`${segment}`)];
    const next = names
      .map((name) => `${pointer}/${pointerToken(name)}`)
      .find((each) => isHere(each, pointer));
    // A missing array has no elements to pass over.
    if (next === undefined && (pointer === base || typeof segment === "number")) break;
    pointer = next ?? pointer;
  }
  return pointer === base ? undefined : pointer;

  function isHere(child: string, parent: string): boolean {
    const [inner, outer] = [place.locate(child), place.locate(parent)];
    return inner.start !== outer.start || inner.end !== outer.end;
  }
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
