import type { CheckResult } from "../check/check.ts";
import type { Item } from "../conversation/item.ts";
import { wordsOfCredentials } from "./credentials.ts";

/** What names of tools are made of; anything else that stands in their place is a text. */
const form = /^[\w.:/-]{1,128}$/;

/** The names of the tools that logs offer and call. */
export function toolNames({ runs }: CheckResult): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string | undefined): void => {
    // A credential is none, wherever it stands.
    if (name === undefined || !form.test(name) || [...wordsOfCredentials(name)].length > 0) return;
    names.add(name);
    for (const part of name.split(/[./:]+/)) if (part !== "") names.add(part);
  };
  const addItem = (item: Item): void => {
    if (item.kind === "call" || item.kind === "result") add(item.name);
  };
  for (const { conversations } of runs) {
    for (const { steps } of conversations) {
      for (const { request, reply, added } of steps) {
        for (const { name } of request?.tools ?? []) add(name);
        for (const item of reply?.items ?? []) addItem(item);
        for (const { item } of added) addItem(item);
      }
    }
  }
  return names;
}
