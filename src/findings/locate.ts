import type { Exchange } from "../conversation/exchange.ts";
import { entryName, tableColumn } from "../reading/entries.ts";
import { linesOf, type Origin } from "../reading/origin.ts";
import type { Locus } from "./finding.ts";
import type { Location } from "./report.ts";

/** Whether the reply is in another file than its request. */
function isElsewhere({ request, reply }: Exchange): boolean {
  return (
    request !== undefined &&
    reply !== undefined &&
    request.place.span.view.source !== reply.place.span.view.source &&
    request.place.span.view.source.name !== reply.place.span.view.source.name
  );
}

/** The location of a locus in its file. */
export function locate(locus: Locus): Location {
  const place = locus.part === "response" ? locus.exchange.reply?.place : locus.exchange.request?.place;
  const record = locus.exchange.session?.recordAt(locus.pointer);
  const origin = place && (locus.extent ? place.locateAt(locus.extent) : place.locate(locus.pointer));
  const path = locus.exchange.file;
  const isApart = locus.part === "response" && isElsewhere(locus.exchange);
  const isOtherFile = isApart || place?.span.view.source.segments !== undefined;
  const range = origin
    ? lineColumns(isOtherFile ? origin.source.name : path, origin)
    : { file: path, line: 1, column: 1, endLine: 1, endColumn: 1 };
  // A report may have a hundred thousand: V8 gives each `{ ...range, part }` a hidden class of its own.
  return Object.assign({}, range, {
    ...(locus.part !== "transcript" && { exchange: locus.exchange.number }),
    part: locus.part,
    pointer: record?.pointer ?? locus.pointer,
    ...(locus.conversation !== undefined && { conversation: locus.conversation }),
    ...(locus.step !== undefined && { step: locus.step }),
  });
}

function lineColumns(
  path: string,
  origin: Origin,
): Pick<Location, "file" | "entry" | "tableColumn" | "line" | "column" | "endLine" | "endColumn"> {
  const entry = entryName(origin.source);
  const inTable = tableColumn(origin.source, origin.start);
  const lines = linesOf(origin.source);
  const start = lines.at(origin.start);
  const end = lines.at(Math.max(origin.start, origin.end));
  const { line, column } = start;
  return {
    file: path,
    ...(entry !== undefined && { entry }),
    ...(inTable !== undefined && { tableColumn: inTable }),
    line,
    column,
    endLine: end.line,
    endColumn: end.column,
  };
}
