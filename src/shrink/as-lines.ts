import type { Exchange } from "../conversation/exchange.ts";
import { onOneLine } from "../fix/written.ts";
import { isJson } from "../reading/parse.ts";
import { plainSpan } from "../reading/place.ts";
import { maskSecrets } from "../secrets/masks.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { exchangeSelections, fileRecordsOf } from "./exchanges.ts";
import type { FailingLog, Objection, Oracle } from "./oracle.ts";

/**
 * Whether nothing can be taken out of a file: it is an archive or the like, its exchanges are not in one
 * list, or the log has several files.
 */
export function isOneBlock(log: FailingLog): boolean {
  const { file, run } = log;
  if (file.kind === "transcript") return false;
  const isOneFile = run.files.length + run.sidecars.length === 1 && !file.source.segments;
  return !isOneFile || (run.exchanges.length > 1 && fileRecordsOf(log) === undefined);
}

/** The exchanges that the finding needs as JSON lines, a request and its response each; or why not. */
export async function asLines(log: FailingLog, oracle: Oracle): Promise<FailingLog | Objection> {
  let objection: Objection = { is: "gone" };
  const all = new Set(log.run.exchanges);
  for (const chosen of [...exchangeSelections(log), all]) {
    const lines = log.run.exchanges.filter((exchange) => chosen.has(exchange)).map(lineOf);
    const converted = await oracle.judge(log, Buffer.from(lines.join("")), "errors", "as-lines");
    if (!("is" in converted)) return converted;
    objection = converted;
  }
  return objection;
}

type Kept = Pick<Exchange, "url" | "headers" | "status" | "time" | "request" | "reply">;

function lineOf({ url, headers, status, time, request, reply }: Kept): string {
  const members = [
    ...(time === undefined ? [] : [`"time":${JSON.stringify(new Date(time).toISOString())}`]),
    ...(url === undefined ? [] : [`"url":${JSON.stringify(maskSecrets(url))}`]),
    // They are masked already.
    ...(Object.keys(headers).length === 0 ? [] : [`"headers":${JSON.stringify(headers)}`]),
    ...(request ? [`"request":${bodyOf(request.place)}`] : []),
    ...(status === undefined ? [] : [`"status":${status}`]),
    ...(reply ? [`"response":${bodyOf(reply.place)}`] : []),
  ];
  return `{${members.join(",")}}\n`;
}

/** The request of an exchange alone, as a line. */
export function requestLine({ status: _, time: __, ...exchange }: Exchange): string {
  return lineOf({ ...exchange, reply: undefined });
}

/** JSON as it is, without its line breaks; a stream, and whatever else there is, as a string. */
function bodyOf(place: PayloadPlace): string {
  const { view, start, end } = plainSpan(place.span);
  const text = view.read(start, end).toString("utf8");
  return isJson(text) ? onOneLine(text) : JSON.stringify(text);
}
