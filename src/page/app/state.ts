import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ItemNumber, PageConversation, PageData, PageStep } from "../data.ts";
import { addressed, addressOf } from "./address.ts";
import { type FirstPlace, firstPlaces, type StepIndex } from "./places.ts";
import { type Hit, PageSearch } from "./search.ts";
import type { TextBlocks } from "./text-blocks.ts";
import { type Filters, isFindingWanted, noFilters, rowsOf, type TimelineRow } from "./timeline.ts";
import { searchFor } from "./visible.ts";

/** The part that a narrow window shows. */
export type Tab = "steps" | "step" | "findings";

/** What the middle shows of a step, or all calls of its conversation. */
export type StepMode = "sent" | "repaired" | "calls";

export type Theme = "light" | "dark";

/** What the reader looks at, and what follows from it. */
export class State {
  readonly data: PageData;
  readonly texts: TextBlocks;

  readonly place: Signal<StepIndex>;
  /** Index of the finding that the reader went to last; −1 for none. */
  readonly finding: Signal<number> = signal(-1);
  readonly tab: Signal<Tab> = signal("step");
  /** The window shows one part at a time, as the tabs say; the same width as in page.css. */
  readonly isNarrow: Signal<boolean> = signal(false);
  readonly view: Signal<StepMode> = signal("sent");
  readonly areEventsShown: Signal<boolean> = signal(false);
  readonly isHelpShown: Signal<boolean> = signal(false);
  readonly theme: Signal<Theme | null> = signal(null);
  readonly filters: Signal<Filters> = signal(noFilters);
  readonly folded: Signal<ReadonlySet<string>> = signal(new Set());
  readonly query: Signal<string> = signal("");
  readonly hits: Signal<readonly Hit[]> = signal([]);
  /** Index in `hits`; −1 before the first. */
  readonly hit: Signal<number> = signal(-1);
  /** Row of a diff that the reader went to last. */
  readonly diffRow: Signal<number>;

  readonly rows: ReadonlySignal<readonly TimelineRow[]>;
  readonly pattern: ReadonlySignal<RegExp | null>;
  readonly conversation: ReadonlySignal<PageConversation | undefined>;
  readonly step: ReadonlySignal<PageStep | undefined>;
  /** Index in `data.repairs` of the repair of the step in view; −1 for none. */
  readonly repair: ReadonlySignal<number>;
  readonly wantedFindings: ReadonlySignal<ReadonlySet<number>>;

  #search: PageSearch | undefined;
  #places: ReadonlyMap<ItemNumber, FirstPlace> | undefined;
  #searched = "";
  /** The address of what is in view; the page's own follows it. */
  #address = "";
  #addressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(data: PageData, texts: TextBlocks) {
    this.data = data;
    this.texts = texts;
    this.diffRow = signal(Math.max(0, data.diff?.first ?? 0));
    this.place = signal(startOf(data));
    this.rows = computed(() => rowsOf(data, this.filters.value, this.folded.value));
    this.pattern = computed(() => searchFor(this.query.value));
    this.conversation = computed(() => data.conversations[this.place.value.conversation]);
    this.step = computed(() => this.conversation.value?.steps[this.place.value.step]);
    this.repair = computed(() => {
      const { conversation, step } = this.place.value;
      return data.repairs.findIndex((each) => each.conversation === conversation && each.step === step);
    });
    this.wantedFindings = computed(() => {
      const filters = this.filters.value;
      const wanted = new Set<number>();
      for (const [index, finding] of data.findings.entries()) {
        if (!isFindingWanted(finding, filters)) continue;
        // A consequence stands under its cause.
        for (let at = index; at >= 0 && !wanted.has(at); at = data.findings[at]?.cause ?? -1) wanted.add(at);
      }
      return wanted;
    });
  }

  /** Where each item first appears. */
  get places(): ReadonlyMap<ItemNumber, FirstPlace> {
    this.#places ??= firstPlaces(this.data);
    return this.#places;
  }

  /** The list of steps is hidden, so the step itself is what an address leads to. */
  get isListHidden(): boolean {
    return this.isNarrow.value && this.tab.value !== "steps";
  }

  /** Shows a step; what folds it away or filters it out is undone. */
  goTo(place: StepIndex, tab: Tab | null = "step"): void {
    batch(() => {
      this.place.value = place;
      if (this.view.value !== "sent") this.view.value = "sent";
      if (tab) this.tab.value = tab;
      this.#alignDiff(place);
      if (this.#rowOf(place) >= 0) return;
      this.folded.value = new Set();
      if (this.#rowOf(place) < 0) this.filters.value = noFilters;
    });
    this.#keepAddress(addressOf(this.data, place));
  }

  goToFinding(index: number, tab: Tab | null = null): void {
    const finding = this.data.findings[index];
    if (!finding) return;
    batch(() => {
      this.finding.value = index;
      if (!this.wantedFindings.value.has(index)) this.filters.value = noFilters;
      if (finding.conversation >= 0 && finding.step >= 0)
        this.goTo({ conversation: finding.conversation, step: finding.step }, tab);
      if (tab) this.tab.value = tab;
    });
    this.#keepAddress(`#finding=${encodeURIComponent(finding.id)}`);
  }

  /** Follows the page's address; an address that names nothing here changes nothing. */
  follow(hash: string): void {
    if (hash === this.#address) return;
    const target = addressed(this.data, hash);
    if (target?.is === "step") this.goTo(target.place);
    else if (target) this.goToFinding(target.finding, "findings");
  }

  /** The step `by` rows further on. */
  move(by: number): void {
    if (this.data.diff) {
      this.goToDiffRow(Math.min(this.data.diff.rows.length - 1, Math.max(0, this.diffRow.value + by)));
      return;
    }
    const rows = this.rows.value;
    let at = this.#rowOf(this.place.value);
    do at += by;
    while (rows[at] !== undefined && rows[at]?.is !== "step");
    const row = rows[at];
    if (row?.is === "step") this.goTo({ conversation: row.conversation, step: row.step }, null);
  }

  /** The next finding that the filters want, in the order of the report. */
  moveFinding(by: number): void {
    const wanted = [...this.wantedFindings.value].sort((a, b) => a - b);
    const { conversation, step } = this.place.value;
    const isHere = (index: number): boolean => {
      const finding = this.data.findings[index];
      return finding !== undefined && finding.conversation === conversation && finding.step === step;
    };
    // The page opens at a finding that the reader did not ask for.
    const at = this.finding.value >= 0 ? wanted.indexOf(this.finding.value) : wanted.findIndex(isHere);
    const next =
      wanted[at < 0 ? (by > 0 ? 0 : wanted.length - 1) : (at + by + wanted.length) % wanted.length];
    if (next !== undefined) this.goToFinding(next);
  }

  goToDiffRow(index: number): void {
    const row = this.data.diff?.rows[index];
    if (!row) return;
    this.diffRow.value = index;
    const place = row.left >= 0 ? { conversation: 0, step: row.left } : { conversation: 1, step: row.right };
    this.place.value = place;
    this.tab.value = "step";
    this.#keepAddress(addressOf(this.data, place));
  }

  toggleGroup(group: string): void {
    const folded = new Set(this.folded.value);
    if (!folded.delete(group)) folded.add(group);
    this.folded.value = folded;
  }

  /** Searches for `query` and goes to the first hit. */
  async search(query: string): Promise<void> {
    this.#searched = query;
    this.query.value = query;
    const pattern = searchFor(query);
    if (!pattern) {
      batch(() => {
        this.hits.value = [];
        this.hit.value = -1;
      });
      return;
    }
    this.#search ??= new PageSearch(this.data, this.texts);
    for await (const hits of this.#search.hits(pattern)) {
      // The reader typed on.
      if (this.#searched !== query) return;
      const shown = this.hits.value[this.hit.value];
      this.hits.value = hits;
      const at = shown ? hits.findIndex((hit) => isSameHit(hit, shown)) : -1;
      if (at >= 0) this.hit.value = at;
      else {
        this.hit.value = -1;
        this.moveHit(1);
      }
    }
  }

  moveHit(by: number): void {
    const hits = this.hits.value;
    if (hits.length === 0) return;
    this.hit.value = (Math.max(this.hit.value, by > 0 ? -1 : 0) + by + hits.length) % hits.length;
    const hit = hits[this.hit.value];
    if (hit?.is === "finding") this.goToFinding(hit.finding, "findings");
    else if (hit) this.goTo(hit.place);
  }

  /** Index of the row of a step; −1 if it is folded away or filtered out. */
  #rowOf({ conversation, step }: StepIndex): number {
    return this.rows.value.findIndex(
      (row) => row.is === "step" && row.conversation === conversation && row.step === step,
    );
  }

  #alignDiff({ conversation, step }: StepIndex): void {
    const rows = this.data.diff?.rows;
    const current = rows?.[this.diffRow.value];
    if (!rows || (conversation === 0 ? current?.left : current?.right) === step) return;
    this.diffRow.value = rows.findIndex((row) => (conversation === 0 ? row.left : row.right) === step);
  }

  /** Without entries in the browser's history, and not for each step while `j` is held down. */
  #keepAddress(hash: string): void {
    this.#address = hash;
    this.#addressTimer ??= setTimeout(() => {
      this.#addressTimer = undefined;
      if (location.hash !== this.#address) location.replace(this.#address);
    }, 100);
  }
}

function isSameHit(a: Hit, b: Hit): boolean {
  return a.is === "item"
    ? b.is === "item" && a.item === b.item
    : b.is === "finding" && a.finding === b.finding;
}

/** The step to begin with: the one of the worst finding, of the first divergence, or the first. */
function startOf({ diff, findings, replay }: PageData): StepIndex {
  const row = diff?.rows[Math.max(0, diff.first)];
  if (row) return row.left >= 0 ? { conversation: 0, step: row.left } : { conversation: 1, step: row.right };
  if (replay) return { conversation: 0, step: replay.step };
  const placed = findings.filter(({ cause, step }) => cause < 0 && step >= 0);
  const ofSeverity = (wanted: string) => placed.find(({ severity }) => severity === wanted);
  const first = ofSeverity("error") ?? ofSeverity("warning") ?? placed[0];
  return first ? { conversation: first.conversation, step: first.step } : { conversation: 0, step: 0 };
}

const context = createContext<State | null>(null);

export const StateProvider = context.Provider;

export function usePage(): State {
  const state = useContext(context);
  if (!state) throw new Error("the app has no state");
  return state;
}
