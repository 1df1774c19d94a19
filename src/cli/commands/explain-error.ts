import { checkFiles } from "../../check/check.ts";
import { stepOfItem } from "../../conversation/active-branch.ts";
import type { Placed, Step } from "../../conversation/conversation.ts";
import { pointerOf } from "../../conversation/conversation.ts";
import { noReason } from "../../explain/no-reason.ts";
import { type PastedError, readPasted } from "../../explain/pasted.ts";
import { type ErrorPlace, type Event, findErrorPlace, lifeOf } from "../../explain/place.ts";
import { placeInSession, type SessionPlace } from "../../explain/session.ts";
import { locate } from "../../findings/locate.ts";
import type { FindingReport, Location } from "../../findings/report.ts";
import type { Subject } from "../../protocols/error-text.ts";
import { valueAt } from "../../reading/pointer.ts";
import { withoutCodes } from "../../reading/terminal-codes.ts";
import { maskedJson } from "../../reporters/masked-json.ts";
import { shellWord } from "../../reporters/shell.ts";
import { printable } from "../../reporters/visible.ts";
import { ruleTable } from "../../rules/index.ts";
import { nameOf } from "../../rules/requests/refused-item.ts";
import { pathText } from "../../rules/validation-errors.ts";
import { settingsFor } from "../config/file-settings.ts";
import { refuseUnread, withLogs } from "../files/logs.ts";
import { type Io, print, printChunks, readAll, terminalWidth } from "../terminal/io.ts";
import { paintFor } from "../terminal/paint.ts";
import { wrapped } from "../terminal/wrap.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice } from "../usage/values.ts";

/** The explanation of an error text: the data of `--format json`. */
interface Explanation {
  readonly schemaVersion: "1.0";
  readonly error: { readonly message: string; readonly status: number | null };
  /** The rule that reports the defect, by the log if it shows one; `null` if none does. */
  readonly rule: { readonly name: string; readonly severity: string; readonly summary: string } | null;
  /** The rule that the provider's words mean, where the log shows another one. */
  readonly byWords?: string;
  /** A rule that explains the same words nearly as often. */
  readonly or?: string;
  /** What the text is about; `null` if it is unknown. */
  readonly about: Subject | null;
  /** The value that the text complains about, from the request's body on; absent if it names none. */
  readonly path?: string;
  /** The provider's words about that value. */
  readonly says?: string;
  readonly callIds: readonly string[];
  /** Indexes of history elements that the text names, from 0. */
  readonly elements: readonly number[];
  /** Where that is in the log; `null` without a log, or if no request matches. */
  readonly place: Place | null;
  /** What else to know or do, half a sentence. */
  readonly advice?: string;
  readonly next: readonly string[];
}

interface Place {
  readonly location: Location;
  /** The item there; `null` if only the request is known. */
  readonly item: string | null;
  /** The value there as JSON, shortened; absent where the text names no value. */
  readonly value?: string;
  readonly how: ErrorPlace["how"];
  readonly isCertain: boolean;
  readonly life: readonly { readonly what: Event["what"]; readonly location: Location }[];
  readonly cause: Pick<FindingReport, "rule" | "severity" | "message" | "location"> | null;
}

/** Runs `toollint explain --error TEXT [log]` and returns its exit code. */
export async function explainError(pasted: string, invocation: Invocation, io: Io): Promise<number> {
  const [path] = invocation.words;
  const isJson = choice(invocation, "format", ["text", "json"]) === "json";
  if (pasted === "-" && path === "-")
    throw new Trouble(
      "`-` is standard input: it can be the error text or the log, not both; name a file for one of them",
    );
  const text = pasted === "-" ? String(await readAll(io.stdin)) : pasted;
  const error = readPasted(withoutCodes(text));
  if (error.words.trim() === "")
    throw new Trouble("the error text is empty: `toollint explain --error 'what the provider said' run.log`");
  const found = path === undefined ? undefined : await placeInLog(error, path, invocation, io);
  const explanation = explained(error, found, path);
  if (isJson) await printChunks(io.stdout, [`${maskedJson(explanation, 2)}\n`]);
  else {
    const { bold, cyan } = paintFor(invocation, io);
    const width = Math.min(terminalWidth(io), 100);
    const lines = withoutGaps([...sentences(explanation, path)]).flatMap(
      ({ text: line, head, indent = "" }) =>
        line === ""
          ? [""]
          : wrapped(printable(line, false), width, indent, `${indent}  `).map((row, at) =>
              head && at === 0 ? row.replace(head, (found) => bold(cyan(found))) : row,
            ),
    );
    await print(io.stdout, lines);
  }
  // Nobody has learned anything from an unknown text.
  return isUnknown(explanation) ? 1 : 0;
}

/** Leaves out empty lines that follow another one, and those at the end. */
function withoutGaps(all: readonly Sentence[]): Sentence[] {
  const last = all.findLastIndex(({ text }) => text !== "");
  return all.slice(0, last + 1).filter(({ text }, at) => text !== "" || all[at - 1]?.text !== "");
}

async function placeInLog(
  error: PastedError,
  path: string,
  invocation: Invocation,
  io: Io,
): Promise<Lookup | undefined> {
  const settingsOf = await settingsFor(invocation, io);
  return withLogs([path], io, async ({ files }) => {
    const { report, runs } = await checkFiles(files, { settingsOf });
    if (report.files.length === 0) {
      if (files.length === 1) await refuseUnread("explain", runs, settingsOf);
      throw new Trouble(`no conversation was understood in ${path}: see \`toollint formats\``);
    }
    const conversations = runs.flatMap((run) => run.conversations);
    if (report.files.every(({ kind }) => kind === "transcript")) {
      const found = placeInSession(error, conversations, report.findings);
      return found && sessionPlace(found);
    }
    const found = findErrorPlace(error, conversations, report.findings);
    return found && logPlace(found);
  });
}

/** What the log adds to the text. */
interface Lookup {
  readonly place: Place;
  /** The rule that finds fault there; absent where none does. */
  readonly rule: string | undefined;
}

function sessionPlace({ item, finding, isCertain }: SessionPlace): Lookup {
  const location = finding?.location ?? locationOf(item as Placed);
  const place: Place = {
    location,
    item: item ? nameOf(item) : null,
    how: finding ? "broken" : "named",
    isCertain,
    life: [],
    cause: finding
      ? { rule: finding.rule, severity: finding.severity, message: finding.message, location }
      : null,
  };
  return { place, rule: finding?.rule };
}

function logPlace(found: ErrorPlace): Lookup {
  const { item, how, isCertain, cause, finding, step, pointer } = found;
  const isThere = cause?.location.part === "request" && cause.location.exchange === step.exchange.number;
  const place: Place = {
    // If the text names no value and no item, use the finding that explains it.
    location:
      pointer !== undefined
        ? locationAt(step, pointer)
        : !item && isThere
          ? cause.location
          : locationOf(item ?? step),
    item: item ? nameOf(item) : null,
    ...(pointer !== undefined && shownValue(step, pointer)),
    how,
    isCertain,
    life: lifeOf(found).map(({ what, at }) => ({ what, location: locationOf(at) })),
    cause: cause
      ? { rule: cause.rule, severity: cause.severity, message: cause.message, location: cause.location }
      : null,
  };
  return { place, rule: finding?.rule === "provider-rejected" ? cause?.rule : finding?.rule };
}

/** The longest value that is shown whole. */
const maxValue = 80;

/** The value at a pointer into the history. */
function shownValue({ request }: Step, pointer: string): { readonly value: string } | undefined {
  const below = request && pointer.startsWith(`${request.historyPointer}/`);
  if (!request || !below) return undefined;
  const [, index = "", ...rest] = pointer.slice(request.historyPointer.length).split("/");
  if (Number(index) >= request.history.length) return undefined;
  const value = valueAt(
    request.history.element(Number(index)).value,
    rest.map((token) => `/${token}`).join(""),
  );
  const text = JSON.stringify(value);
  if (text === undefined) return undefined;
  return { value: text.length > maxValue ? `${text.slice(0, maxValue)}…` : text };
}

function locationAt(step: Step, pointer: string): Location {
  return locate({
    exchange: step.exchange,
    part: "request",
    pointer,
    conversation: step.conversation.name,
    step: step.number,
  });
}

function locationOf(at: Placed | Step): Location {
  const isItem = "item" in at;
  const step = isItem ? stepOfItem(at) : at;
  return locate({
    exchange: step.exchange,
    part: step.conversation.kind === "transcript" ? "transcript" : isItem ? at.part : "request",
    pointer: isItem ? pointerOf(at) : (step.request?.historyPointer ?? ""),
    conversation: step.conversation.name,
    step: step.number,
    ...(isItem && at.part === "response" && at.item.fragments && { extent: at.item.fragments.first }),
  });
}

/** Rules that tell how a call or result got lost: the cause of what the provider says, not another defect. */
const losses: ReadonlySet<string> = new Set([
  "dropped-tool-call",
  "dropped-turns",
  "lost-fragments",
  "unclosed-loop",
]);

function explained(error: PastedError, found: Lookup | undefined, path: string | undefined): Explanation {
  const { match, pointers, status, message } = error;
  const advice = match?.advice ?? (error.lacksReason ? noReason : undefined);
  const place = found?.place;
  const byWords = match?.rule;
  const isOther = found?.rule !== undefined && !(byWords !== undefined && losses.has(found.rule));
  const rule = ruleTable.find(({ name }) => name === (isOther ? found.rule : byWords));
  const elements = [...new Set([match?.index, ...pointers.map(({ index }) => index)])].filter(
    (index): index is number => index !== undefined,
  );
  const or =
    match?.or !== undefined && match.or !== rule?.name && found?.rule === undefined ? match.or : undefined;
  return {
    schemaVersion: "1.0",
    error: { message, status: status ?? null },
    rule: rule ? { name: rule.name, severity: rule.severity, summary: rule.summary } : null,
    ...(byWords !== undefined && byWords !== rule?.name && { byWords }),
    ...(or !== undefined && { or }),
    about: match?.about ?? null,
    ...(match?.complaint && { path: pathText(match.complaint.path), says: match.complaint.words }),
    callIds: match?.callIds ?? [],
    elements,
    place: place ?? null,
    ...(advice !== undefined && { advice }),
    next: [
      ...[...new Set([rule?.name, place?.cause?.rule, or])].flatMap((name) =>
        name === undefined ? [] : [`toollint explain ${name}`],
      ),
      ...(match?.about === "service" ? [] : [nextCommand(error, place, path)]),
    ],
  };
}

function nextCommand(
  { match, pointers }: PastedError,
  place: Place | undefined,
  path: string | undefined,
): string {
  if (path === undefined)
    return match || pointers.length > 0 ? "toollint explain --error '…' run.log" : "toollint check run.log";
  if (!place) return `toollint check ${shellWord(path)}`;
  const file = shellWord(place.location.file);
  if (place.location.part === "transcript" && place.cause) return `toollint fix --unsafe ${file}`;
  return `toollint check ${file}${place.location.exchange === undefined ? "" : ` --exchange ${place.location.exchange}`}`;
}

interface Sentence {
  readonly text: string;
  /** The highlighted word. */
  readonly head?: string;
  readonly indent?: string;
}

const notHistory: Readonly<Record<number, string>> = {
  401: "401 concerns the key, not the history",
  403: "403 concerns the key's permissions, not the history",
  404: "404 concerns the URL or the model name, and only sometimes an id in the history",
  408: "408 is a timeout, not a defect of the history: send the request again",
  409: "409 concerns concurrent requests, not the history",
  429: "429 concerns rate limits, not the history: wait, then send the request again",
};

function isUnknown(explanation: Explanation): boolean {
  const { about, place, advice } = explanation;
  return about === null && place === null && advice === undefined && statusMeaning(explanation) === undefined;
}

/** What the status alone says, of a text that is unknown or about the service. */
function statusMeaning({ error, about }: Explanation): string | undefined {
  if (error.status === null || (about !== null && about !== "service")) return undefined;
  return (
    notHistory[error.status] ??
    (error.status >= 500 ? `${error.status} is the server's own failure` : undefined)
  );
}

function* headline(explanation: Explanation): Generator<Sentence> {
  const { rule, byWords, or, about, path, advice } = explanation;
  const status = statusMeaning(explanation);
  if (rule) yield { text: `${rule.name}: ${rule.summary}.`, head: rule.name };
  else if (about === "history")
    yield { text: "The provider rejects something in the history; no rule covers that defect." };
  else if (about === "service" && status === undefined && advice !== undefined)
    yield { text: `The history did not cause this error: ${advice}.` };
  else if (about === "service" || about === "request")
    yield { text: "The history did not cause this error." };
  else if (about === null && advice === undefined)
    yield { text: "toollint does not recognise this error text." };
  else if (about === null) yield { text: "This error does not say what is wrong." };
  if (about === "reply")
    yield {
      text: "It concerns what the model wrote, not what the client sent: the same request may succeed on a retry.",
    };
  if (about === "request" && path !== undefined)
    yield { text: `It concerns \`${path}\` of the request, not the history.` };
  if (rule && byWords !== undefined)
    yield { text: `The text alone means ${byWords}; the log shows ${rule.name}.` };
  if (or !== undefined) yield { text: `The same text may also mean ${or}.` };
  if (advice !== undefined && about !== "service") yield { text: `${capital(advice)}.` };
  if (status !== undefined) yield { text: `${status}.` };
}

function* sentences(explanation: Explanation, path: string | undefined): Generator<Sentence> {
  const { rule, about, callIds, elements, place, next, says, path: named } = explanation;
  yield* headline(explanation);
  yield { text: "" };
  if (place) yield* placeSentences(explanation, place);
  else if (about === "service") {
    // No log tells more.
  } else if (path !== undefined)
    yield {
      text:
        callIds.length + elements.length > 0
          ? `${path} does not contain what the text points at (${pointedAt(callIds, elements)}): is it the log of that run?`
          : rule
            ? `The text names no call and no place, and ${rule.name} finds nothing in ${path}.`
            : `The text names no call and no place, so toollint has nothing to look for in ${path}.`,
    };
  else if (named !== undefined && says)
    yield {
      text: `The provider says of \`${named}\`: ${says.replace(/\.$/, "")}. Add a log to find the line.`,
    };
  else if (callIds.length + elements.length > 0)
    yield { text: `It points at ${pointedAt(callIds, elements)}. Add a log to find the line.` };
  if (isUnknown(explanation)) {
    yield { text: "" };
    yield {
      text: `${path === undefined ? "Check the log of the run: its findings often explain the error" : "The log's findings may explain it"}. If you know what the text means, please report it, with the provider and the model.`,
    };
  }
  yield { text: "" };
  for (const learn of next.slice(0, -1)) yield { text: `Learn: ${learn}` };
  const last = next.at(-1);
  if (last !== undefined) yield { text: `Next: ${last}` };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function pointedAt(callIds: readonly string[], elements: readonly number[]): string {
  return [
    ...callIds.slice(0, 3).map((id) => `\`${id}\``),
    ...(callIds.length > 3 ? [`${callIds.length - 3} more ids`] : []),
    ...elements.slice(0, 3).map((index) => `element ${index} of the history, counted from 0`),
  ].join(", ");
}

const happened: Readonly<Record<Event["what"], string>> = {
  called: "the model made the call",
  "call-sent": "the last request with the call",
  "call-gone": "the first request without the call",
  "result-sent": "the last request with its result",
  "result-gone": "the first request without its result",
  "never-answered": "no request in the log contains its result",
};

/** Describes an item in a session file, which a newer version of its agent may fix before sending. */
function* sessionSentences({ location, item, isCertain, cause }: Place): Generator<Sentence> {
  const head = `line ${location.line} of ${location.file}`;
  const where = `${head} (step ${location.step} of ${location.conversation})`;
  yield { text: `It is ${where}${item === null ? "" : `: ${item}`}.`, head };
  if (cause) yield { text: `check says: ${cause.message}`, indent: "  " };
  else yield { text: "No rule reports it in this session; the agent may have sent something else." };
  if (!isCertain) yield { text: "The text names no call; this is the last one that fits, so it is a guess." };
}

function* placeSentences({ elements, rule, path, says }: Explanation, place: Place): Generator<Sentence> {
  if (place.location.part === "transcript") {
    yield* sessionSentences(place);
    return;
  }
  const { location, item, how, isCertain, life, cause, value } = place;
  const [index] = elements;
  const element = /^(?:\/[a-z]+)+\/(\d+)/.exec(location.pointer ?? "")?.[1];
  const spoken = index !== undefined && element === String(index) ? `Element ${index} of the history` : "It";
  const where = `line ${location.line} of ${location.file}, ${location.pointer} in request ${location.exchange} (step ${location.step} of ${location.conversation})`;
  yield item === null
    ? {
        text: `It concerns ${where}${cause ? "" : "; toollint cannot tell what is wrong there"}.`,
        head: `line ${location.line} of ${location.file}`,
      }
    : { text: `${spoken} is ${where}: ${item}.`, head: `line ${location.line} of ${location.file}` };
  if (says && path !== undefined)
    yield {
      text: `the provider says of \`${path}\`: ${says}${value === undefined ? "" : `; it is ${value}`}`,
      indent: "  ",
    };
  for (const event of life)
    yield { text: `${placeName(event.location, location.file)} ${happened[event.what]}`, indent: "  " };
  if (cause)
    yield {
      text: `${cause.rule === rule?.name ? "check says" : `the cause is ${cause.rule}`}: ${placeName(cause.location, location.file)} ${cause.message}`,
      indent: "  ",
    };
  const request = `request ${location.exchange}`;
  if (how === "refused" && !isCertain)
    yield { text: `More conversations of this log got the same error; ${request} is the first.` };
  else if (how === "broken")
    yield {
      text: isCertain
        ? `The log does not contain this error; only ${request} fits it.`
        : `The log does not contain this error; ${request} is the last one that fits, so it is a guess.`,
    };
  else if (how === "named")
    yield {
      text: `The log does not contain this error, and no rule reports anything there; ${request} is ${isCertain ? "the only" : "the last"} one that contains what the text points at, so it is a guess.`,
    };
}

/** `line 12 (reply 3):`, with the file if it is not `known`. */
function placeName({ file, line, exchange, part }: Location, known: string): string {
  const half = part === "response" ? "reply" : "request";
  return `${file === known ? `line ${line}` : `${file}:${line}`} (${half} ${exchange}):`;
}
