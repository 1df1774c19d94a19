import type { Origin } from "../../reading/origin.ts";
import { remembered } from "../../reading/remembered.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Defect, DefectKind } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { Context } from "./record-context.ts";

/** What stood in a record and gave no payload, or only a part of one. */
export interface Unread {
  readonly kind: Exclude<DefectKind, "unfinished" | "unlinked">;
  /** From the first wrong byte to the end of what was lost. */
  readonly origin: Origin;
  readonly message: string;
  /** See {@link Defect}. */
  readonly related?: Defect["related"];
  /** See {@link Defect}. */
  readonly isReadBefore?: boolean;
  readonly half: "request" | "reply" | undefined;
  readonly context: Context;
  /** What was read of it before its defect is a payload, or it stands in one. */
  readonly isPayload: boolean;
}

/**
 * Collects what could not be read while a record is searched. Whether that is a loss is known afterwards: any
 * text may begin with a brace, but the body of a model call is JSON or events.
 */
export class UnreadTexts {
  readonly recognizer: Recognizer;
  private readonly defects: Defect[] | undefined;
  private texts: Unread[] = [];
  /** Values are visited several times, and copies of a history share their elements. */
  private readonly known = new Set<string>();
  /** What records with payloads have in common with others: ids of exchanges, and where payloads stand. */
  private readonly links = new Set<string>();
  /** Texts that a later record may prove to be traffic, by such a link. */
  private readonly waiting = new Map<string, Unread[]>();
  private lastCut: Origin | undefined;

  constructor(recognizer: Recognizer, defects: Defect[] | undefined) {
    this.recognizer = recognizer;
    this.defects = defects;
  }

  add(unread: Unread): void {
    if (this.defects) this.texts.push(unread);
  }

  /**
   * Ends a record: reports what was lost of its traffic. Returns the halves that were lost. What ends in a
   * record that is cut itself (`isCut`) is no second defect. `pathOf` gives the keys that lead to a position
   * of the file.
   */
  settle(
    found: readonly PayloadCandidate[],
    isCut = false,
    pathOf: (offset: number) => string | undefined = () => undefined,
  ): ReadonlySet<"request" | "reply"> {
    if (this.defects)
      for (const { record, start } of found)
        for (const link of linksOf(record, pathOf(start))) this.prove(link);
    // Most records are read whole.
    if (this.texts.length === 0) return nothing;
    const texts = isCut ? this.texts.filter(({ kind }) => kind === "lax") : this.texts;
    this.texts = [];
    const halves = new Set<"request" | "reply">();
    if (texts.length === 0) return halves;
    const record: FoundIn = {
      isTraffic: found.some(isCertain),
      isSent: found.some((candidate) => isCertain(candidate) && candidate.fidelity === "wire"),
      ...wholeIn(found),
      likely: halvesOf(found),
    };
    for (const text of texts) {
      // What was read of a text that breaks off is no proof that it is the copy of another one.
      const others = text.kind === "cut" ? wholeIn(found.filter((each) => !isReadOf(text, each))) : undefined;
      if (!this.isLoss(text, { ...record, ...others })) this.await(text, record, pathOf(text.origin.start));
      else if (this.report(text) && text.half) halves.add(text.half);
    }
    return halves;
  }

  /** Reports a text if another record proves that it is traffic, now or later. */
  private await(text: Unread, found: FoundIn, path: string | undefined): void {
    if (!mayBeProven(text)) return;
    if (found.requests + found.replies > 0) {
      if (isOtherHalf(text, found)) this.report({ ...text, kind: "unknown" });
      return;
    }
    // An empty body and a page stand everywhere, and an address says more than a place in the record.
    const isPlain = isAnswer.has(text.kind) || text.context.url !== undefined;
    const links = linksOf(text.context, isPlain ? undefined : path);
    const proof = links.find((link) => this.links.has(link));
    if (proof !== undefined) this.report(proven(text, proof));
    else for (const link of links) this.waitFor(link, text);
    for (const link of this.waiting.keys()) {
      if (this.waiting.size <= maxWaiting) break;
      this.waiting.delete(link);
    }
  }

  private waitFor(link: string, text: Unread): void {
    const texts = this.waiting.get(link);
    if (texts) texts.push(text);
    else this.waiting.set(link, [text]);
  }

  private prove(link: string): void {
    if (this.links.has(link)) return;
    this.links.add(link);
    const [oldest] = this.links;
    if (oldest !== undefined && this.links.size > maxLinks) this.links.delete(oldest);
    for (const text of this.waiting.get(link) ?? []) this.report(proven(text, link));
    this.waiting.delete(link);
  }

  private report({ kind, origin, message, related, half, isReadBefore }: Unread): boolean {
    const key = `${kind} ${origin.source.name} ${origin.start}`;
    if (this.known.has(key) || this.isSameCut(kind, origin)) return false;
    this.known.add(key);
    if (kind === "cut") this.lastCut = origin;
    this.defects?.push({
      kind,
      origin,
      message,
      ...(related && { related }),
      ...(half && { half }),
      ...(isReadBefore && { isReadBefore }),
    });
    return true;
  }

  /** A body and what is decoded from it, which its chunks hold for instance, break off at one place. */
  private isSameCut(kind: Unread["kind"], { source, start, end }: Origin): boolean {
    const last = this.lastCut;
    return kind === "cut" && last?.source === source && last.start <= end && start <= last.end;
  }

  private isLoss(
    { kind, half, isPayload, context: { method, url, status, isAborted } }: Unread,
    { isTraffic, isSent, requests, replies }: FoundIn,
  ): boolean {
    if (kind === "lax") return isPayload;
    // Loggers keep copies and previews next to the body.
    const isCopy =
      half === "request"
        ? requests > 0 && requests >= replies
        : half === "reply"
          ? replies > 0 && replies >= requests
          : requests > 0 && requests === replies;
    if (isCopy) return isPayload && kind === "broken";
    const asksModel = this.recognizer.asksModel(method, url);
    const isOurs = asksModel || isSent;
    if (half === "reply" && isAnswer.has(kind))
      return isOurs && isAborted !== true && hasSucceeded(kind, status);
    if (half === "request" && isAnswer.has(kind)) return isOurs || isPayload;
    return isPayload || asksModel || (isTraffic && half !== undefined);
  }
}

const maxWaiting = 256;
const maxLinks = 4096;

const nothing: ReadonlySet<never> = new Set();

/** Ids of one exchange; those of sessions and traces link records of any kind. */
const exchangeId =
  /^(?:id|uuid|seq|.*(?:req|request|call|exchange|correlation|flow|interaction)[_.-]?(?:id|uuid|seq))$/i;

const isExchangeId = remembered((key: string) => exchangeId.test(key));

function linksOf({ ids, url }: Pick<Context, "ids" | "url">, path: string | undefined): string[] {
  const links: string[] = [];
  for (const [key, id] of ids) if (isExchangeId(key)) links.push(`${key} ${id}`);
  if (url !== undefined) links.push(`to ${url}`);
  if (path !== undefined) links.push(`${byPath}${path}`);
  return links;
}

const byPath = "at ";

/** Whether a text is a loss if it belongs to an exchange with a model. */
function mayBeProven({ kind, half, context: { status, isAborted } }: Unread): boolean {
  if (kind === "cut" || kind === "broken") return true;
  return isAnswer.has(kind) && half === "reply" && isAborted !== true && hasSucceeded(kind, status);
}

/** A text that stands where payloads of other records stand is likely, but not surely, one. */
function proven(text: Unread, link: string): Unread {
  return link.startsWith(byPath) && !isAnswer.has(text.kind) ? { ...text, kind: "unknown" } : text;
}

/** What was found in a record: payloads that were read whole. */
interface FoundIn {
  readonly isTraffic: boolean;
  /** It holds traffic itself, not what a tool says of it. */
  readonly isSent: boolean;
  readonly requests: number;
  readonly replies: number;
  /** The halves of which something was found that is no mere error. */
  readonly likely: ReadonlySet<"request" | "reply">;
}

/** The payloads that were read whole. */
function wholeIn(found: readonly PayloadCandidate[]): Pick<FoundIn, "requests" | "replies"> {
  const whole = found.filter(({ isCut }) => !isCut);
  const requests = whole.filter(({ part }) => part === "request").length;
  return { requests, replies: whole.length - requests };
}

/** Whether a half stands in a text; what begins a stream may be a guess. */
function isReadOf({ origin }: Unread, { part, place: { origin: own } }: PayloadCandidate): boolean {
  if (part !== "request" && part !== "reply") return false;
  return own.source === origin.source && origin.start <= own.start && own.end <= origin.end;
}

/** Whether a broken text is the half that lacks beside one that may be traffic. */
function isOtherHalf({ half, kind }: Unread, { likely }: FoundIn): boolean {
  if (half === undefined || kind !== "broken" || likely.has(half)) return false;
  return likely.has(half === "request" ? "reply" : "request");
}

function halvesOf(found: readonly PayloadCandidate[]): FoundIn["likely"] {
  const others = found.filter((each) => typeof replyOf(each) === "string" || !isErrorBody(each));
  return new Set(others.map(({ part }) => (part === "request" ? "request" : "reply")));
}

const replyOf = (candidate: PayloadCandidate): unknown =>
  candidate.part === "reply" ? candidate.value : undefined;

/** What may be right as an answer to another request, or to one that failed. */
const isAnswer: ReadonlySet<Unread["kind"]> = new Set(["empty", "foreign", "unknown", "left-out"]);

/** No body is right for many other statuses. */
function hasSucceeded(kind: Unread["kind"], status: number | undefined): boolean {
  return kind === "empty" ? (status ?? 200) === 200 : (status ?? 200) < 300;
}

/** Whether a candidate proves that its record is traffic with a model: all services have similar errors. */
export function isCertain(candidate: PayloadCandidate): boolean {
  if (candidate.certainty >= threshold.leading) return true;
  if (candidate.part !== "reply") return candidate.part !== "event";
  const { isBare, isLone, isRefusal } = candidate;
  return !isErrorBody(candidate) && !isBare && !isLone && !isRefusal;
}

function isErrorBody(candidate: PayloadCandidate): boolean {
  if (candidate.part !== "reply") return false;
  const { value } = candidate;
  return typeof value !== "object" || value === null || "error" in value;
}

/** Whether a text is a word in brackets: what a program writes in place of a value that it leaves out. */
export function isWordInBrackets(text: string): boolean {
  return /^\s*(?:\[[^"[\]{}]*[a-z.…*][^"[\]{}]*\]|\{[^"[\]{}:]*\}|<[^<>="]*>)\s*$/i.test(text);
}
