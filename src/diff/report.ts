import type { Location } from "../findings/report.ts";
import type { LogReport } from "../log/report.ts";
import type { ShownItem } from "../show/shown.ts";
import type { DiffedPart } from "./item-diff.ts";

/** The result of `toollint diff --format json` (`schemas/diff.schema.json`). Left is the failing log. */
export interface DiffReport {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly left: LogReport;
  readonly right: LogReport;
  /** The logs differ only in volatile values. */
  readonly same: boolean;
  /** Where the runs part, on whose side and why; then what else differs and what follows. */
  readonly verdict: readonly string[];
  readonly firstDivergence: DivergenceReport | null;
  /** Later requests that differ although no earlier reply does, so the client is the cause here, too. */
  readonly alsoCauses: readonly DivergenceReport[];
  /** Where the replies part; equal to `firstDivergence` if that is a reply. */
  readonly repliesPart: DivergenceReport | null;
  readonly conversations: readonly PairReport[];
  /** All steps, ordered by pair of conversations. */
  readonly steps: readonly StepReport[];
  /** Differences ignored as volatile. */
  readonly ignored: readonly IgnoredReport[];
  readonly notCompared: readonly string[];
}

export interface DivergenceReport {
  /** The step in the failing run, or in the passing one if the failing run had ended. Counts from 1. */
  readonly step: number;
  readonly side: "request" | "reply";
  /** Only the model's wording differs, or a failed attempt was repeated. */
  readonly isMinor: boolean;
  /** What differs, as a short phrase without a full stop. */
  readonly what: string;
  /** Rules of `check` that explain the difference in the failing log; see `toollint explain`. */
  readonly reasons: readonly string[];
  /** The smallest place concerned; `null` if that log has none. */
  readonly left: Location | null;
  readonly right: Location | null;
}

/** Conversations that correspond to each other; several on a side if a client started anew. */
export interface PairReport {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly same: boolean;
}

export interface StepReport {
  /** The index of its pair in `conversations`, from 0. */
  readonly pair: number;
  /** `null` if that run has no such step. */
  readonly left: StepPlace | null;
  readonly right: StepPlace | null;
  /** The runs diverge here: `firstDivergence`, one of `alsoCauses`, or `repliesPart`. */
  readonly isParting: boolean;
  /** Rules of `check` with findings in the failing request and none in the passing one. */
  readonly reasons: readonly string[];
  readonly request: HalfReport;
  readonly reply: HalfReport;
}

export interface StepPlace {
  readonly conversation: string;
  /** Counts from 1 in the run, across its conversations if it has several. */
  readonly step: number;
  readonly exchange: number;
  readonly line: number;
}

export interface HalfReport {
  readonly state: "same" | "minor" | "carried" | "different" | "uncompared";
  readonly settings: readonly SettingReport[];
  /** Items that differ, and some equal ones around them; `skipped` replaces the other equal ones. */
  readonly items: readonly RowReport[];
  /** How the replies ended, if they ended differently. */
  readonly outcome: { readonly left: string; readonly right: string } | null;
}

export interface SettingReport {
  readonly setting: "model" | "system" | "tools" | "tool-choice" | "parameter";
  /** The name of the tool or parameter. */
  readonly name: string | null;
  readonly parts: readonly DiffedPart[];
  readonly left: Location | null;
  readonly right: Location | null;
}

export interface RowReport {
  readonly mark: "same" | "missing" | "added" | "changed" | "moved" | "skipped";
  readonly left: ShownItem | null;
  readonly right: ShownItem | null;
  /** The differences inside an item that both logs have. */
  readonly parts: readonly DiffedPart[];
  /** An earlier step has the same difference. */
  readonly isKnown: boolean;
  readonly isMinor: boolean;
  /** The number of equal items skipped here; 0 for a row with items. */
  readonly count: number;
}

export interface IgnoredReport {
  readonly kind:
    | "call ids"
    | "ids in texts"
    | "dates and times"
    | "white space"
    | "spelling of arguments"
    | "streaming"
    | "token counts";
  /** The number of distinct pairs of values. */
  readonly count: number;
  /** One such pair. */
  readonly example: { readonly left: string; readonly right: string };
}
