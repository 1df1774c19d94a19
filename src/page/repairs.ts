import { structuredPatch } from "diff";
import type { CheckResult } from "../check/check.ts";
import type { Item } from "../conversation/item.ts";
import type { FindingReport } from "../findings/report.ts";
import { fixChecked } from "../fix/fix.ts";
import type { FixedRequest } from "../fix/fixed-logs.ts";
import { elementItems } from "../fix/fixed-request.ts";
import { jsonForPeople } from "../fix/preview.ts";
import { answersIn } from "../fix/report.ts";
import type { LogSource } from "../log/log-file.ts";
import { pushAll } from "../reading/lists.ts";
import { itemText } from "../show/items.ts";
import { bytesText, countText } from "../show/words.ts";
import type { PageConversations } from "./conversations.ts";
import type { PageFinding, PageRepair, RepairedItem } from "./data.ts";
import { shownLine, shownStart } from "./items.ts";
import { shownText, type TextTable } from "./texts.ts";

/** Repairs of larger logs take longer than all else: they are repaired and checked again several times. */
const maxRepaired = 16 << 20;

/** Whether the repairs of these logs are left out. */
export function isTooLargeToRepair(inputs: readonly LogSource[]): boolean {
  return inputs.reduce((sum, { source }) => sum + source.size, 0) > maxRepaired;
}

/** What `fix` would do: each repaired request as a diff, without what the diff of an earlier one shows. */
export async function repairsOf(
  result: CheckResult,
  inputs: readonly LogSource[],
  { places }: PageConversations,
  texts: TextTable,
): Promise<Repairs> {
  const { findings } = result.report;
  const found = new Map<string, ShownRepair>();
  const repairOf = ({ id }: FindingReport): ShownRepair | undefined => found.get(id);
  if (!findings.some(({ fix }) => fix?.safety === "safe") || isTooLargeToRepair(inputs))
    return { repairs: [], repairOf };
  const indexes = new Map(findings.map(({ id }, index) => [id, index]));
  const { runs } = await fixChecked(result, inputs, result.runs[0]?.options);
  const repairs: PageRepair[] = [];
  for (const run of runs) {
    const answered = answersIn(run);
    const changes = new Changes();
    for (const request of run.requests) {
      const place = places.get(request.step);
      if (!place) continue;
      const { diff, isRest, items } = changes.of(request);
      const behind = [...new Set(request.whys.map(({ finding }) => finding))].map(answered);
      const edits = behind.map(({ finding, safety, title }) => ({
        finding: finding === null ? -1 : (indexes.get(finding) ?? -1),
        safety,
        title: shownLine(title),
      }));
      const shown = shownText(diff);
      const sums = sumsOf(items);
      for (const { finding } of edits) {
        const id = findings[finding]?.id;
        if (id !== undefined && !found.has(id))
          found.set(id, { diff: shown.slice(0, keptDiff), items: items.slice(0, staticItems), sums });
      }
      const distinct = new Map(edits.map((edit) => [JSON.stringify(edit), edit]));
      repairs.push({
        ...place,
        edits: [...distinct.values()],
        items: items.slice(0, keptItems),
        sums,
        diff: texts.add(shown),
        ...(isRest && { isRest }),
      });
    }
  }
  return { repairs, repairOf };
}

/** Items of a repair that are listed; the diff has all of them. */
const keptItems = 100;
/** Items that the static part lists. */
const staticItems = 5;
/** Characters of their previews. */
const previewLength = 120;

/** How many items a repair adds, removes and changes, and their bytes. */
function sumsOf(items: readonly RepairedItem[]): PageRepair["sums"] {
  return (["added", "removed", "changed"] as const).flatMap((sign) => {
    const own = items.filter((item) => item.sign === sign);
    return own.length === 0
      ? []
      : [{ sign, count: own.length, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) }];
  });
}

/** Characters of a diff that the static part may show. */
const keptDiff = 20_000;

export interface Repairs {
  readonly repairs: readonly PageRepair[];
  /** The repair of the first request in which a finding is repaired, for the static part. */
  repairOf(finding: FindingReport): ShownRepair | undefined;
}

/** A repair as the static part shows it. */
export interface ShownRepair extends Pick<PageRepair, "items" | "sums"> {
  /** The beginning of its diff. */
  readonly diff: string;
}

/** `462 items added, 61 kB`. */
export function sumsInWords(sums: PageRepair["sums"]): string {
  return sums
    .map(({ sign, count, bytes }) => `${countText(count, "item")} ${sign}, ${bytesText(bytes)}`)
    .join("; ");
}

/** Notes at each finding which repair mends it first. */
export function withRepairs(findings: readonly PageFinding[], repairs: readonly PageRepair[]): PageFinding[] {
  const first = new Map<number, number>();
  for (const [index, { edits }] of repairs.entries())
    for (const { finding } of edits) if (!first.has(finding)) first.set(finding, index);
  return findings.map((finding, index) => {
    const repair = first.get(index);
    return repair === undefined ? finding : { ...finding, repair };
  });
}

/** An item that a repair touches. */
function repairedItem(sign: RepairedItem["sign"], item: Item): RepairedItem {
  const text = itemText(item);
  const tool = item.kind === "call" || item.kind === "result" ? item.name : undefined;
  return {
    sign,
    kind: item.kind,
    role: item.role,
    ...(tool !== undefined && { tool: shownLine(tool) }),
    preview: shownStart(shownText(text), previewLength),
    bytes: Buffer.byteLength(text),
  };
}

type Elements = FixedRequest["entries"][number]["element"];

/** A part of a request before and after its repair; equal texts are context. */
interface Change {
  readonly before: string;
  readonly after: string;
  /** The number of the recorded element that it begins with. */
  readonly at: number;
}

/** The changes of a run's requests, each shown once. */
class Changes {
  readonly #known = new Set<string>();
  readonly #numbers = new Map<Elements, number>();

  of(request: FixedRequest): {
    readonly diff: string;
    readonly isRest: boolean;
    readonly items: readonly RepairedItem[];
  } {
    const { changes, isRest, items } = this.#changesOf(request);
    const pointer = request.step.request?.historyPointer ?? "";
    const parts = changes.map((change) => `@@ ${pointer}/${change.at} @@\n${linesOf(change)}`);
    for (const { key, pointer: own, value, isGone } of request.members) {
      const text = `${JSON.stringify(key)}: ${jsonForPeople(value)}`;
      if (this.#isNew(`${own} ${text}`)) parts.push(`@@ ${own} @@\n${marked(isGone ? "-" : "+", text)}`);
    }
    return { diff: parts.join(""), isRest, items };
  }

  #changesOf({ step, entries, exchange }: FixedRequest): {
    readonly changes: Change[];
    readonly isRest: boolean;
    readonly items: readonly RepairedItem[];
  } {
    const items: RepairedItem[] = [];
    const list = (sign: RepairedItem["sign"], { value }: Elements): void => {
      for (const item of elementItems(exchange, value)) items.push(repairedItem(sign, item));
    };
    const history = step.request?.history;
    const recorded = Array.from(
      { length: history?.length ?? 0 },
      (_, index) => history?.element(index) as Elements,
    );
    const changes: { before: unknown[]; after: unknown[]; at: number; end: number }[] = [];
    let isRest = false;
    const note = (at: number, before: readonly unknown[], after: readonly unknown[]): void => {
      const last = changes.at(-1);
      if (last && last.end >= at) {
        pushAll(last.before, before);
        pushAll(last.after, after);
        last.end = at + before.length;
      } else changes.push({ before: [...before], after: [...after], at, end: at + before.length });
    };
    const kept = new Set(entries.flatMap((entry) => entry.recorded ?? []));
    let next = 0;
    const skipTo = (end: number): void => {
      for (; next < end; next++) {
        const gone = recorded[next];
        if (!gone || kept.has(next)) continue;
        if (this.#isNew(`- ${this.#numberOf(gone)}`)) {
          note(next, [gone.value], []);
          list("removed", gone);
        } else isRest = true;
      }
    };
    let previous = -1;
    for (const { element, recorded: own } of entries) {
      if (own !== undefined) skipTo(own);
      const was = own === undefined ? undefined : recorded[own];
      const number = this.#numberOf(element);
      const isSame =
        was === element || (was !== undefined && JSON.stringify(was.value) === JSON.stringify(element.value));
      if (!isSame) {
        const change = `${was ? `~ ${this.#numberOf(was)}` : `+ ${previous}`} ${number}`;
        if (this.#isNew(change)) {
          note(own ?? next, was ? [was.value] : [], [element.value]);
          list(was ? "changed" : "added", element);
        } else isRest = true;
      }
      if (own !== undefined) next = Math.max(next, own + 1);
      previous = number;
    }
    skipTo(recorded.length);
    return {
      isRest,
      items,
      changes: changes.map(({ before, after, at }) => ({
        at,
        before: before.map((value) => `${jsonForPeople(value)}\n`).join(""),
        after: after.map((value) => `${jsonForPeople(value)}\n`).join(""),
      })),
    };
  }

  #isNew(change: string): boolean {
    const isNew = !this.#known.has(change);
    this.#known.add(change);
    return isNew;
  }

  #numberOf(element: Elements): number {
    const number = this.#numbers.get(element) ?? this.#numbers.size;
    this.#numbers.set(element, number);
    return number;
  }
}

/** Changes of more lines than this are shown as a whole. */
const maxEdits = 400;

/** The lines of a change, marked as in a unified diff. */
function linesOf({ before, after }: Change): string {
  const patch =
    before === "" || after === ""
      ? undefined
      : structuredPatch("", "", before, after, "", "", { context: 1_000, maxEditLength: maxEdits });
  if (!patch) return `${marked("-", before)}${marked("+", after)}`;
  return patch.hunks.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join("");
}

function marked(sign: string, text: string): string {
  return text
    .split("\n")
    .filter((line, index, all) => line !== "" || index < all.length - 1)
    .map((line) => `${sign}${line}\n`)
    .join("");
}
