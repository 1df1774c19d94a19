import type { ToolResult } from "../conversation/item.ts";
import { credentialIn } from "./hygiene/credentials.ts";
import { type Injection, injectionIn } from "./hygiene/injection.ts";
import { stubOf } from "./results/stubs.ts";

/** What a look through the text of a result finds. */
export interface Look {
  readonly credential?: string | undefined;
  readonly injection?: Injection | undefined;
  readonly stub?: string | undefined;
}

const looks = new WeakMap<ToolResult, Look>();
const nothing: Look = Object.freeze({});

/** Looks through a result once for all who ask: the texts of a long session's results are read anew each time that they are asked for. */
export function lookThrough(result: ToolResult): Look {
  let look = looks.get(result);
  if (!look) {
    const { text } = result;
    const credential = credentialIn(text);
    const injection = injectionIn(text);
    const stub = stubOf(text);
    const isEmpty = credential === undefined && injection === undefined && stub === undefined;
    look = isEmpty ? nothing : { credential, injection, stub };
    looks.set(result, look);
  }
  return look;
}
