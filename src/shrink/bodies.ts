import type { BodyEdit } from "../containers/write/json-edits.ts";
import type { BodyChange } from "../containers/write/write-back.ts";
import { parseJson } from "../reading/parse.ts";
import { plainSpan } from "../reading/place.ts";
import type { RequestCopy } from "../traffic/payload.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { placeOf } from "./edited.ts";
import type { FailingLog } from "./oracle.ts";
import { sessionEntries } from "./sessions.ts";

/** JSON of a log that can be edited: a request, a reply in one piece, a record of a session. */
export interface Body {
  readonly place: PayloadPlace;
  readonly value: unknown;
  readonly copies?: readonly RequestCopy[] | undefined;
}

const cached = new WeakMap<FailingLog, readonly Body[]>();

/** All bodies of a log, in order. A body that is not JSON is not among them. */
export function bodiesOf(log: FailingLog): readonly Body[] {
  let bodies = cached.get(log);
  if (!bodies) {
    bodies = findBodies(log);
    cached.set(log, bodies);
  }
  return bodies;
}

function findBodies(log: FailingLog): Body[] {
  if (log.run.files.length + log.run.sidecars.length > 1) return [];
  if (log.file.kind === "transcript") {
    const records = new Map(
      sessionEntries(log).map(({ span }) => {
        const place = placeOf(span);
        return [place.origin.start, place] as const;
      }),
    );
    return [...records.values()].flatMap((place) => bodyAt(place));
  }
  return log.file.exchanges.flatMap(({ request, reply }) => [
    ...(request ? bodyAt(request.place, request.copies) : []),
    ...(reply ? bodyAt(reply.place) : []),
  ]);
}

/** The body at a place; none where there is no JSON, such as a stream. */
export function bodyAt(place: PayloadPlace, copies?: readonly RequestCopy[]): Body[] {
  const { view, start, end } = plainSpan(place.span);
  const value = parseJson(view.read(start, end).toString("utf8"));
  return typeof value === "object" && value !== null ? [{ place, value, copies }] : [];
}

/** The change of a body by these edits; none without edits. */
export function changeOf({ place, copies }: Body, edits: readonly BodyEdit[]): BodyChange[] {
  return edits.length > 0 ? [{ place, edits, copies }] : [];
}
