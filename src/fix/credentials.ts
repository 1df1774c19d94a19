import type { WrittenLog } from "../containers/write/write-back.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Reply } from "../conversation/reply.ts";
import { plainSpan } from "../reading/place.ts";
import { credentialsIn } from "../secrets/find.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import type { FixedRun } from "./fixed-logs.ts";
import { fixedBody } from "./written.ts";

/**
 * How many different credentials the bodies of a written log contain that the rule `exposed-secret` would
 * report. In a session file, where everything is conversation, those of the whole file.
 */
export function credentialsWritten(
  { runs }: { readonly runs: readonly Pick<FixedRun, "run" | "requests">[] },
  path: string,
  written: WrittenLog,
): number {
  const run = runs.find(({ run: { files } }) => files.some((file) => file.path === path));
  const log = run?.run.files.find((file) => file.path === path);
  if (!log) return 0;
  if (log.kind === "transcript") return countedIn(wholeLines(written.content()));
  const refused = new Set(written.refused.map(({ change }) => change.place));
  const repaired = new Map<Exchange, string>();
  for (const request of run?.requests ?? []) {
    const { exchange } = request;
    const body = exchange.request && !refused.has(exchange.request.place) ? fixedBody(request) : undefined;
    if (body !== undefined) repaired.set(exchange, Buffer.from(body).toString("latin1"));
  }
  return countedIn(bodyTexts(log.exchanges, repaired));
}

/** How many different credentials stand in texts, as they are or escaped. */
export function countedIn(texts: Iterable<string>): number {
  const seen = new Set<string>();
  for (const text of texts)
    for (const secret of credentialsIn(text)) seen.add(secret.replace(/(?<!\\)\\+[nrt]|[\\\s]/g, ""));
  return seen.size;
}

/** The texts of the bodies of a log, one character per byte; of repaired requests as they are written. */
function* bodyTexts(
  exchanges: readonly Exchange[],
  repaired: ReadonlyMap<Exchange, string>,
): Generator<string> {
  for (const exchange of exchanges) {
    const { request, reply } = exchange;
    const body = repaired.get(exchange);
    if (body !== undefined) yield body;
    else if (request) {
      yield textOf(request.place);
      for (const { place } of request.copies ?? []) yield textOf(place);
    }
    if (reply?.form === "stream") yield* saidIn(reply);
    else if (reply) yield textOf(reply.place);
  }
}

function textOf(place: PayloadPlace): string {
  const { view, start, end } = plainSpan(place.span);
  return view.read(start, end).toString("latin1");
}

/** What a stream says, put together: its fragments hold parts of credentials. */
function* saidIn({ items, error }: Reply): Generator<string> {
  for (const item of items) {
    const text = item.kind === "call" ? item.argumentsText : "text" in item ? item.text : undefined;
    if (typeof text === "string") yield Buffer.from(text).toString("latin1");
  }
  if (error) yield Buffer.from(error.message).toString("latin1");
}

/** Longer lines are searched in parts. */
const longestLine = 64 << 20;
const newline = 10;

/** The text of a file in parts that end with a line, so that no credential is cut in two. */
function* wholeLines(chunks: Iterable<Buffer>): Generator<string> {
  let open: string[] = [];
  let size = 0;
  for (const chunk of chunks) {
    const end = size > longestLine ? chunk.length : chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      yield open.join("") + chunk.toString("latin1", 0, end);
      open = [];
      size = 0;
    }
    open.push(chunk.toString("latin1", end));
    size += chunk.length - end;
  }
  yield open.join("");
}
