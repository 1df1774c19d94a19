import { editJson } from "../containers/write/json-edits.ts";
import { type BodyChange, type WrittenLog, writeBack } from "../containers/write/write-back.ts";
import { plainSpan } from "../reading/place.ts";
import { scanJson } from "../reading/scan.ts";
import type { ByteSource } from "../reading/source.ts";
import { patched } from "../reading/view.ts";
import { maskSecrets } from "../secrets/masks.ts";
import type { FixedLogs, FixedRequest, FixedRun } from "./fixed-logs.ts";
import { allMasks, headerMasks } from "./masks.ts";

/** What to mask in a written log; `headers` are auth headers, cookies and keys in URLs. */
export type Masking = "nothing" | "headers" | "all";

/** Thrown when credentials in bodies are encoded, so that they cannot be masked in place. */
export class Unmaskable extends Error {}

/**
 * Writes fixed requests back into a log, in its own container. In a new file, auth headers, cookies and keys
 * in URLs are masked; session files have none.
 *
 * @throws {Unmaskable} if all credentials were to be masked and cannot be
 */
export function writtenLog(
  { runs }: { readonly runs: readonly Pick<FixedRun, "run" | "requests">[] },
  path: string,
  source: ByteSource,
  masking: Masking = "nothing",
): WrittenLog {
  const run = runs.find(({ run: { files } }) => files.some((file) => file.path === path));
  const log = run?.run.files.find((file) => file.path === path);
  const repaired = (run?.requests ?? []).filter(({ exchange }) => exchange.file === path);
  if (masking === "all") {
    const found = allMasks(source, log?.exchanges ?? []);
    if ("encoded" in found)
      throw new Unmaskable(
        `${path} has credentials in ${found.encoded.length === 1 ? "an encoded body" : `${found.encoded.length} encoded bodies`}, where toollint cannot mask them`,
      );
    const changes = repaired.flatMap(changeOf).map(maskedChange);
    return writeBack(source, changes, { lengths: log?.lengths, masks: found.masks });
  }
  const masks = masking === "headers" && log?.kind === "requests" ? headerMasks(source, log.exchanges) : [];
  return writeBack(source, repaired.flatMap(changeOf), { lengths: log?.lengths, masks });
}

/** Masks the credentials in restored values, which come from elsewhere in the log. */
function maskedChange(change: BodyChange): BodyChange {
  return {
    ...change,
    edits: change.edits.map((edit) =>
      edit.op === "remove" ? edit : { ...edit, json: maskSecrets(edit.json) },
    ),
  };
}

function changeOf({ exchange: { request, session }, edits }: FixedRequest): BodyChange[] {
  return request ? [{ place: request.place, edits, session, copies: request.copies }] : [];
}

/** An exchange's request body as it should have been, as JSON text; as recorded if it needs no fix. */
export function bodyOf({ runs, checked }: FixedLogs, number: number): string | undefined {
  const repaired = runs
    .flatMap(({ requests }) => requests)
    .find(({ exchange }) => exchange.number === number);
  if (repaired) return fixedBody(repaired);
  const exchange = checked.files
    .flatMap(({ exchanges }) => exchanges)
    .find((other) => other.number === number);
  return exchange && fixedBody({ exchange, edits: [] });
}

/** The fixed request body as JSON text in its layout; `undefined` if the recorded body is not editable. */
export function fixedBody({ exchange, edits }: Pick<FixedRequest, "exchange" | "edits">): string | undefined {
  const span = exchange.request && plainSpan(exchange.request.place.span);
  if (!span) return undefined;
  const bytes = span.view.read(span.start, span.end);
  const root = scanJson(bytes, 0, bytes.length);
  if (!root) return undefined;
  const edited = editJson(bytes, root, edits, { lead: "", around: (traits) => traits(bytes) });
  if ("why" in edited) return undefined;
  const whole = patched(bytes, edited.patches);
  return whole.toString("utf8", root.start, whole.length - (bytes.length - root.end));
}

/** JSON text on one line: drops the white space between tokens and keeps the tokens unchanged. */
export function onOneLine(json: string): string {
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, (_, text: string | undefined) => text ?? "");
}
