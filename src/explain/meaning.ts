import { inWords } from "../diagnosis/idiom.ts";
import { errorMeaning } from "../rules/error-meaning.ts";
import type { HabitFacts } from "../rules/habit.ts";
import { ruleTable } from "../rules/index.ts";
import { correctionOf, type ErrorMatch } from "../rules/match-error-text.ts";
import { pathText } from "../rules/validation-errors.ts";
import { noReason } from "./no-reason.ts";
import { readPasted } from "./pasted.ts";

/** What an error text means without the log of its run. */
interface Meaning {
  /** Texts about what the client sent are about the `history`; about the `status`: it says no more. */
  readonly about: string;
  /** What it means and what to change, in sentences. */
  readonly says: string;
  /** The command that explains the rule; absent where no rule covers it. */
  readonly learn?: string;
}

/** Nothing is known of the run: one mistake, in words that fit all APIs. */
const unknownRun: HabitFacts = {
  isHabit: false,
  isFromStart: false,
  isTrim: false,
  isTextKept: false,
  isAskGone: false,
  idiom: inWords(undefined),
  rejection: undefined,
};

/** What an error text means, and what to change; `undefined` for an unknown text. */
export function meaningOfError(pasted: string): Meaning | undefined {
  const { match, lacksReason } = readPasted(pasted);
  if (!match) return lacksReason ? { about: "status", says: sentence(noReason) } : undefined;
  const { about, rule, callIds, advice, complaint } = match;
  if (rule === undefined) {
    const who = about === "service" ? "the history did not cause this error" : "this error";
    return advice === undefined ? undefined : { about, says: sentence(`${who}: ${advice}`) + placeIn(match) };
  }
  const info = ruleTable.find(({ name }) => name === rule);
  const { change } = info?.kindHabits?.[complaint?.kind ?? ""] ?? info?.habit ?? {};
  const written = typeof change === "function" ? change(unknownRun) : change;
  const says =
    sentence(errorMeaning(rule, callIds, correctionOf(match) ?? written ?? info?.summary ?? "")) +
    placeIn(match);
  return {
    about,
    says:
      about === "reply"
        ? `${says} It is about what the model wrote: the same request may succeed on a retry.`
        : says,
    learn: `toollint explain ${rule}`,
  };
}

/** The place in the request that the text names, as a sentence; `""` if it names none. */
function placeIn({ about, complaint, index }: ErrorMatch): string {
  if (about === "reply" || about === "service") return "";
  const path = complaint && pathText(complaint.path);
  if (path !== undefined && /[.[]/.test(path))
    return ` It points at \`${path}\`${/\[\d/.test(path) ? ", counted from 0" : ""}.`;
  return index === undefined ? "" : ` It points at element ${index} of the history, counted from 0.`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
