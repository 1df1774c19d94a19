import type { Origin } from "../../reading/origin.ts";
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
  private readonly recognizer: Recognizer;
  private readonly defects: Defect[] | undefined;
  private texts: Unread[] = [];
  /** Values are visited several times, and copies of a history share their elements. */
  private readonly known = new Set<string>();

  constructor(recognizer: Recognizer, defects: Defect[] | undefined) {
    this.recognizer = recognizer;
    this.defects = defects;
  }

  add(unread: Unread): void {
    if (this.defects) this.texts.push(unread);
  }

  /**
   * Ends a record: reports what was lost of its traffic. Returns the halves that were lost. What ends in a
   * record that is cut itself (`isCut`) is no second defect.
   */
  settle(found: readonly PayloadCandidate[], isCut = false): ReadonlySet<"request" | "reply"> {
    const halves = new Set<"request" | "reply">();
    const texts = isCut ? this.texts.filter(({ kind }) => kind === "lax") : this.texts;
    this.texts = [];
    if (texts.length === 0) return halves;
    const isTraffic = found.some(isCertain);
    const whole = new Set(found.filter(({ isCut }) => !isCut).map(halfOf));
    for (const text of texts) {
      const { kind, origin, half } = text;
      const key = `${kind} ${origin.source.name} ${origin.start}`;
      if (this.known.has(key) || !this.isLoss(text, isTraffic, whole)) continue;
      this.known.add(key);
      if (half) halves.add(half);
      this.defects?.push({ kind, origin, message: text.message, ...(half && { half }) });
    }
    return halves;
  }

  private isLoss(
    { kind, half, isPayload, context: { method, url, status, isAborted } }: Unread,
    isTraffic: boolean,
    whole: ReadonlySet<"request" | "reply">,
  ): boolean {
    if (kind === "lax") return isPayload;
    const asksModel = this.recognizer.asksModel(method, url);
    // Loggers keep copies and previews beside the body.
    if (half ? whole.has(half) : whole.size === 2) return isPayload && kind === "broken";
    const isOurs = asksModel || isTraffic;
    if (kind === "empty") return isOurs && half === "reply" && status === 200 && isAborted !== true;
    if (kind === "foreign") return isOurs && half === "reply" && (status ?? 200) < 300 && isAborted !== true;
    return isPayload || asksModel || (isTraffic && half !== undefined);
  }
}

/** Whether a candidate proves that its record is traffic with a model. */
function isCertain({ part, certainty }: PayloadCandidate): boolean {
  return part === "request" || certainty >= threshold.leading;
}

function halfOf({ part }: PayloadCandidate): "request" | "reply" {
  return part === "request" ? "request" : "reply";
}

/** Whether a text is a word in brackets: what a program writes in place of a value that it leaves out. */
export function isWordInBrackets(text: string): boolean {
  return /^\s*(?:\[[^"[\]{}]*[a-z.…*][^"[\]{}]*\]|\{[^"[\]{}:]*\}|<[^<>="]*>)\s*$/i.test(text);
}
