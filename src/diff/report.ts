import type { Location } from "../findings/report.ts";
import type { LogReport } from "../log/report.ts";
import type { ShownItem } from "../show/shown.ts";
import type { DiffedPart } from "./item-diff.ts";

/** What `toollint diff` found, as data: the contract of `--format json` (`schemas/diff.schema.json`). The left log is the failing one. */
export interface DiffReport {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly left: LogReport;
  readonly right: LogReport;
  /** Nothing is different but what is volatile. */
  readonly same: boolean;
  /** Where the runs part and on whose side; what differs there and why that is the cause; what else is, and what follows. */
  readonly verdict: readonly string[];
  readonly firstDivergence: DivergenceReport | null;
  /** Later requests that differ although no reply had differed before them: the client's doing, too. */
  readonly alsoCauses: readonly DivergenceReport[];
  /** Where the replies part; the same as `firstDivergence` when that is a reply. */
  readonly repliesPart: DivergenceReport | null;
  readonly conversations: readonly PairReport[];
  /** All steps, in the order of the pairs of conversations. */
  readonly steps: readonly StepReport[];
  /** What was set aside as volatile. */
  readonly ignored: readonly IgnoredReport[];
  readonly notCompared: readonly string[];
}

export interface DivergenceReport {
  /** The step in the failing run; where that has ended, the step of the passing one. */
  readonly step: number;
  readonly side: "request" | "reply";
  /** Only a model's choice of words, or a failed attempt that was made again. */
  readonly isMinor: boolean;
  /** What differs, in a few words, without a full stop. */
  readonly what: string;
  /** Rules of `check` that say what is wrong there in the failing log; `toollint explain` has their pages. */
  readonly reasons: readonly string[];
  /** The smallest place concerned; `null` where that log has nothing of it. */
  readonly left: Location | null;
  readonly right: Location | null;
}

/** Conversations that stand for each other; several of one log where it begins anew. */
export interface PairReport {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly same: boolean;
}

export interface StepReport {
  /** The number of its pair in `conversations`, from 0. */
  readonly pair: number;
  /** `null` where that run has no such step. */
  readonly left: StepPlace | null;
  readonly right: StepPlace | null;
  /** The runs part here: at `firstDivergence`, one of `alsoCauses`, or `repliesPart`. */
  readonly isParting: boolean;
  /** Rules of `check` that say what is wrong in the failing run's request, and not in the passing one's. */
  readonly reasons: readonly string[];
  readonly request: HalfReport;
  readonly reply: HalfReport;
}

export interface StepPlace {
  readonly conversation: string;
  /** Counts from 1 in the run: in the conversation, or on from one conversation to the next where a run goes on in several. */
  readonly step: number;
  readonly exchange: number;
  readonly line: number;
}

export interface HalfReport {
  readonly state: "same" | "minor" | "carried" | "different" | "uncompared";
  readonly settings: readonly SettingReport[];
  /** Items that differ, and some equal ones around them; `skipped` stands for equal ones that are left out. */
  readonly items: readonly RowReport[];
  /** What the replies came to, where that differs. */
  readonly outcome: { readonly left: string; readonly right: string } | null;
}

export interface SettingReport {
  readonly setting: "model" | "system" | "tools" | "tool-choice" | "parameter";
  /** The tool or the parameter. */
  readonly name: string | null;
  readonly parts: readonly DiffedPart[];
  readonly left: Location | null;
  readonly right: Location | null;
}

export interface RowReport {
  readonly mark: "same" | "missing" | "added" | "changed" | "moved" | "skipped";
  readonly left: ShownItem | null;
  readonly right: ShownItem | null;
  /** What differs inside an item that both have. */
  readonly parts: readonly DiffedPart[];
  /** An earlier step had the same difference. */
  readonly isKnown: boolean;
  readonly isMinor: boolean;
  /** How many equal items are left out here; 0 for a row of its own. */
  readonly count: number;
}

export interface IgnoredReport {
  readonly kind:
    | "call ids"
    | "ids in texts"
    | "dates and times"
    | "white space"
    | "spelling of arguments"
    | "how replies were brought"
    | "token counts";
  /** How many different pairs of values there are. */
  readonly count: number;
  /** One of them, as either side has it. */
  readonly example: { readonly left: string; readonly right: string };
}
