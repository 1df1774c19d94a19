import type { ToolResult } from "../conversation/item.ts";
import { credentialIn } from "../secrets/find.ts";
import { type Injection, injectionIn } from "./hygiene/injection.ts";
import { stubOf } from "./results/stubs.ts";

/** Special content in the text of a result. */
interface ResultScan {
  readonly credential?: string | undefined;
  readonly injection?: Injection | undefined;
  readonly stub?: string | undefined;
}

const scans = new WeakMap<ToolResult, ResultScan>();
const nothing: ResultScan = Object.freeze({});

/** Scans a result once for all rules, because in long sessions each access to its text reads the file. */
export function scanResult(result: ToolResult): ResultScan {
  let scan = scans.get(result);
  if (!scan) {
    const { text } = result;
    const credential = credentialIn(text);
    const injection = injectionIn(text);
    const stub = stubOf(text);
    const isEmpty = credential === undefined && injection === undefined && stub === undefined;
    scan = isEmpty ? nothing : { credential, injection, stub };
    scans.set(result, scan);
  }
  return scan;
}
