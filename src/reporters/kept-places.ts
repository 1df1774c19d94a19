import type { CheckReport, FindingReport, Location } from "../findings/report.ts";
import type { ByteSource } from "../reading/source.ts";
import { type KeptPlace, type KeptPlaces, keptPlace } from "./excerpt.ts";
import { focusTerms } from "./focus.ts";
import { entrySource, framedNotes } from "./frame.ts";
import { rootsOf } from "./roots.ts";
import { lastShown } from "./rows.ts";

/** A place of a log that reports show, with what is kept of it. Plain data. */
export interface PlaceRecord {
  readonly at: Pick<Location, "file" | "entry" | "line" | "column" | "endLine" | "endColumn">;
  readonly shows: KeptPlace;
}

/** Keeps what frames show of the logs, with credentials masked, so that a report can be written without. */
export function placeRecords(
  report: Pick<CheckReport, "findings">,
  sources: ReadonlyMap<string, ByteSource>,
): PlaceRecord[] {
  const records = new Map<string, PlaceRecord>();
  const keep = (location: Location, terms: ReturnType<typeof focusTerms>): void => {
    const source = entrySource(sources.get(location.file), location.entry);
    if (!source || "keptAt" in source) return;
    const shows = keptPlace(source, location, lastShown(location), terms);
    const key = keyOf(location);
    // Another finding may be about a later part of the same place.
    if (!shows || (records.get(key)?.shows.place.length ?? -1) >= shows.place.length) return;
    const { file, entry, line, column, endLine, endColumn } = location;
    records.set(key, {
      at: { file, ...(entry !== undefined && { entry }), line, column, endLine, endColumn },
      shows,
    });
  };
  for (const { finding } of rootsOf(report)) {
    if (!hasFrame(finding)) continue;
    keep(finding.location, focusTerms(finding));
    for (const note of framedNotes(finding)) keep(note.location, focusTerms(finding, note));
  }
  return [...records.values()];
}

/** Infos are lines without a frame. */
function hasFrame({ severity }: FindingReport): boolean {
  return severity !== "info";
}

/** The kept places as sources of the files that they are in. */
export function keptSources(records: Iterable<PlaceRecord>): ReadonlyMap<string, KeptPlaces> {
  const byPlace = new Map<string, KeptPlace>();
  const sources = new Map<string, KeptPlaces>();
  const kept: KeptPlaces = { keptAt: (location) => byPlace.get(keyOf(location)) };
  for (const { at, shows } of records) {
    byPlace.set(keyOf(at), shows);
    sources.set(at.file, kept);
  }
  return sources;
}

function keyOf({ file, entry, line, column, endLine, endColumn }: PlaceRecord["at"]): string {
  return JSON.stringify([file, entry, line, column, endLine, endColumn]);
}
