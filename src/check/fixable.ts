import type { Finding, Locus } from "../findings/finding.ts";
import { protocolNamed } from "../protocols/index.ts";
import { supported } from "../protocols/protocol.ts";
import type { Span } from "../reading/place.ts";
import { pointerToken, pointerTokens, valueAt } from "../reading/pointer.ts";

/**
 * Whether the fix of a finding can be made: the finding is serious enough, stands in a request or in a
 * session's records, and these can be written, in one file. Hints are for reading, and what a server said is
 * not the client's to change.
 */
export function isFixable({ severity, fix, locus }: Finding): boolean {
  if (!fix || severity === "info") return false;
  const { request, session } = locus.exchange;
  if (request?.place.span.view.source.segments) return false;
  const isClients = locus.part === "request" || (locus.part === "transcript" && session?.takesRecords);
  return isClients === true && (session?.writer !== undefined || isOfKnownForm(locus));
}

/** The protocol says where its parts are, so that they can be changed. */
function isOfKnownForm(locus: Locus): boolean {
  const protocol = protocolNamed(locus.exchange.protocol);
  return supported(protocol?.places) !== undefined && (!protocol?.isKept || isKept(locus, protocol.isKept));
}

/**
 * What only tells of requests can be mended where it is a program's own: the whole file, in a form that is
 * sent again.
 */
function isKept({ exchange: { request }, pointer }: Locus, isOwn: (item: unknown) => boolean): boolean {
  if (!request || !isWholeFile(request.place.span)) return false;
  const [index = "", ...below] = pointerTokens(pointer.slice(request.historyPointer.length));
  if (index === "" || !(Number(index) < request.history.length)) return false;
  let value: unknown = request.history.element(Number(index)).value;
  // The place may be that of a member of the item.
  for (const token of below) {
    if (isOwn(value)) break;
    value = valueAt(value, `/${pointerToken(token)}`);
  }
  return isOwn(value);
}

/** White space around a document is no more than this. */
const maxAround = 1024;

function isWholeFile({ view, start, end, level }: Span): boolean {
  const isBlank = (bytes: Buffer): boolean => /^\ufeff?\s*$/.test(bytes.toString("utf8"));
  return (
    view.isFile === true &&
    level === 0 &&
    start <= maxAround &&
    view.size - end <= maxAround &&
    isBlank(view.read(0, start)) &&
    isBlank(view.read(end, view.size))
  );
}
