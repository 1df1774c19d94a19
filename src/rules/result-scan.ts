import type { ToolResult } from "../conversation/item.ts";
import { credentialIn } from "./hygiene/credentials.ts";
import { type Injection, injectionIn } from "./hygiene/injection.ts";
import { stubOf } from "./results/stubs.ts";

/** What stands in the text of a result beside an answer. */
interface ResultScan {
  readonly credential?: string | undefined;
  readonly injection?: Injection | undefined;
  readonly stub?: string | undefined;
}

const scans = new WeakMap<ToolResult, ResultScan>();
const nothing: ResultScan = Object.freeze({});

/** Scans a result once for all rules: in a long session, each look at its text would read it from the file again. */
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
