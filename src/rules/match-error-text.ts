import { contentNeeded, type ErrorText, nameForm } from "../protocols/error-text.ts";
import { knownErrors } from "../protocols/known-errors.ts";
import { knownRefusal } from "../protocols/refusal-texts.ts";
import { commonErrors, otherTrouble } from "./error-texts.ts";
import { type Complaint, complaintIn, pathText, ruleFor, subjectOf } from "./validation-errors.ts";
import { short } from "./words.ts";

/** What a provider's error text says about the request. */
export interface ErrorMatch extends Omit<ErrorText, "pattern" | "demands">, HistoryPointer {
  /** The ids of calls or items in the text, in its order. */
  readonly callIds: readonly string[];
  readonly tool?: string;
  /** What the text says about one value, if it names its path. */
  readonly complaint?: Complaint;
}

/** The place that a text names: an element of the history and a pointer below it. */
export interface HistoryPointer {
  /** From 0; absent if the text names no element. */
  readonly index?: number;
  /** RFC 6901 pointer from the element, as far as the text names it; `""` is the whole element. */
  readonly below?: string;
}

/** Longer texts are cut; providers put the relevant part first. */
const maxText = 20_000;

/** Matches a provider's error text, even quoted and escaped by gateways; `undefined` if it is unknown. */
export function matchErrorText(text: string): ErrorMatch | undefined {
  const read = plain(text);
  const complaint = complaintIn(read);
  return (
    entryIn(knownErrors, read, complaint) ??
    entryIn(commonErrors, read, complaint) ??
    (complaint && matchOf(complaint)) ??
    refusalIn(read) ??
    entryIn(otherTrouble, read, undefined)
  );
}

/** The meaning of a text that providers refuse requests with, in the very words of their servers. */
function refusalIn(read: string): ErrorMatch | undefined {
  const known = knownRefusal(read);
  const [rule, or] = known?.rules ?? [];
  if (!known || rule === undefined) return undefined;
  const [at] = historyPointers(read);
  const { id, ids = id, tool } = known.values;
  return {
    rule,
    ...(or !== undefined && { or }),
    about: rule === "invalid-request" && !at ? "request" : "history",
    ...at,
    callIds: idsIn(ids),
    ...(tool !== undefined && { tool }),
  };
}

function entryIn(
  table: readonly ErrorText[],
  read: string,
  complaint: Complaint | undefined,
): ErrorMatch | undefined {
  for (const known of table) {
    const groups = known.pattern.exec(read);
    if (!groups) continue;
    const { pattern: _, demands: __, ...entry } = known;
    const { ids: named, index, nth, tool } = groups.groups ?? {};
    const at =
      index !== undefined
        ? { index: Number(index), below: "" }
        : nth !== undefined
          ? { index: Number(nth) - 1, below: "" }
          : historyPointers(read)[0];
    return {
      ...entry,
      ...at,
      callIds: idsIn(named),
      ...(tool !== undefined && { tool }),
      // A complaint of another meaning is about words that the entry explains better.
      ...(complaint && ruleFor(complaint) === entry.rule && { complaint }),
    };
  }
  return undefined;
}

/** The meaning of a complaint that no entry names. */
function matchOf(complaint: Complaint): ErrorMatch {
  const [, index, ...below] = complaint.path;
  const isOfHistory = subjectOf(complaint) === "history";
  const rule = ruleFor(complaint);
  return {
    rule,
    // A result cannot name a call that has no id.
    ...(rule === "invalid-call-id" && complaint.kind === "missing" && { or: "call-id-mismatch" }),
    about: isOfHistory ? "history" : "request",
    ...(rule === "empty-content" &&
      complaint.kind !== "empty" &&
      complaint.path.at(-1) === "content" && { advice: contentNeeded }),
    ...(complaint.kind === "form" && complaint.path.at(-1) === "name" && { advice: nameForm }),
    callIds: [],
    complaint,
    ...(isOfHistory &&
      typeof index === "number" && { index, below: below.map((segment) => `/${segment}`).join("") }),
  };
}

/** What to change about the value that a text complains of, where it has no advice of its own. */
export function correctionOf({ rule, advice, complaint }: ErrorMatch): string | undefined {
  if (advice !== undefined || rule !== "invalid-request" || !complaint) return advice;
  const place = `\`${short(pathText(complaint.path), 120)}\``;
  if (complaint.kind === "missing") return `add ${place}, which is missing`;
  if (complaint.kind === "unknown") return `leave ${place} out, or spell it as the API does`;
  if (complaint.kind === "variant")
    return `send ${place} in a form that this server knows: look for members that are \`null\`, absent or of another API`;
  return `send ${place} in the form that the schema requires`;
}

/** The history elements that a text names, in its order: `messages.3.content.1`, `input[66].id`. */
export function historyPointers(text: string): Required<HistoryPointer>[] {
  const pointer =
    /(?<!\w)(?:messages?|input|contents)(?:\.?\[(\d{1,6})\]|[./](\d{1,6})(?!\w))((?:\.?\[\d{1,6}\]|[./]\w{1,40}){0,8})/gi;
  return [...plain(text).matchAll(pointer)].slice(0, 20).map(([, bracketed, dotted, rest = ""]) => ({
    index: Number(bracketed ?? dotted),
    below: rest.replace(/\.?\[(\d{1,6})\]|[./]/g, "/$1"),
  }));
}

/** What people write for an index that they do not tell: `messages.<N>.content`, `messages[i]`. */
const noIndex =
  /(?<=\b(?:messages|input|contents|tools))(?:\.(?:<\w{1,20}>|[NXnix*])(?=[.[:])|\[(?:<\w{1,20}>|[NXnix*])\])/g;
/** What they write for an id: `rs_<id>`. */
const noId = /(?<=[a-z]_)<\w{1,20}>/g;

/** The text on one line, with the quotes of ASCII, without the escapes that gateways add to them. */
function plain(text: string): string {
  return text
    .slice(0, maxText)
    .replace(noIndex, "")
    .replace(noId, ".")
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019\u201a]/g, "'")
    .replace(/\\{1,16}(?:u0027|u0060|u0022)/gi, "'")
    .replace(/\\{1,16}(["'`])/g, "$1")
    .replace(/\\{1,16}[nrt](?=[^a-z]|$)/g, " ")
    .replace(/\s+/g, " ");
}

function idsIn(named = ""): readonly string[] {
  return (
    named
      .split(/['"`\s,]+/)
      .map(bare)
      // What is left of a stand-in such as `call_<id>` is no id.
      .filter((one) => /^\w/.test(one) && !/_$|_\./.test(one))
  );
}

/** An id without the full stop after it. */
function bare(named: string): string {
  return named.replace(/[.:,]{1,3}$/, "");
}
