import type { Demands, Exchange, Request } from "../conversation/exchange.ts";
import { stitch } from "../conversation/stitch/stitch.ts";
import type { Finding } from "../findings/finding.ts";
import { refusalsOf } from "../protocols/profiles/refusals.ts";
import {
  type ProviderError,
  type RefusalFacts,
  type Refusals,
  type RefusalText,
  refusalError,
  textFor,
} from "../protocols/refusals.ts";
import { filled } from "../protocols/wire.ts";
import { groupBy } from "../reading/group-by.ts";
import { rules as allRules } from "../rules/index.ts";
import type { Rule } from "../rules/rule.ts";
import { loadRules, runRules } from "../rules/run.ts";
import { exchangeOf, type Judged } from "./judged-request.ts";

/** What a provider says to a request. */
export interface Judgment {
  readonly exchange: Exchange;
  readonly request: Request;
  /** The first thing that the provider refuses. */
  readonly refusal?: ProviderError;
  /** The finding behind the refusal. */
  readonly ground?: Finding;
  /** What the provider takes without a word, and what misleads the model. */
  readonly warnings: readonly Finding[];
  /** What the provider requires in addition to the body, and this server does not; a sentence. */
  readonly overlooked?: string;
}

const misleading = new Set(allRules.filter(({ ground }) => ground === "misleads").map(({ name }) => name));

const rulesOf = new WeakMap<Refusals, readonly Rule[]>();

/**
 * The rules about what a provider may refuse. What only misleads the model is no matter of the server;
 * `check` says it of the journal.
 */
function rulesFor(refusals: Refusals): readonly Rule[] {
  const known = rulesOf.get(refusals);
  if (known) return known;
  const named = new Set(refusals.texts.map(({ rule }) => rule));
  const rules = allRules.filter(({ name }) => !misleading.has(name) || named.has(name));
  rulesOf.set(refusals, rules);
  return rules;
}

/** Judges one request as the profile's provider does: its form first, then its history. */
export async function judgeRequest(asked: Judged): Promise<Judgment> {
  const refusals = refusalsOf(asked.profile, asked.protocol.name);
  if (!refusals) throw new RangeError(`no provider is known to reject ${asked.protocol.name} requests`);
  const exchange = await exchangeOf(asked);
  const conversations = stitch([exchange], { isComplete: false, file: exchange.file });
  const isStrict = exchange.demands.isStrict === true;
  const missing = isStrict ? refusals.missing?.(asked) : undefined;
  const overlooked = isStrict ? refusals.overlooked?.(asked) : undefined;
  if (missing)
    return {
      exchange,
      request: exchange.request,
      refusal: { ...missing, message: missing.text, status: missing.status ?? 400 },
      warnings: [],
    };
  const options = { levels: {} };
  const rules = rulesFor(refusals);
  await loadRules(conversations, rules, options);
  const findings = runRules(conversations, rules, options);
  // A provider knows no causes: it refuses for the first thing that it finds.
  const grounds = reasonsAmong(findings, exchange, asked, refusals);
  const [first] = grounds;
  return {
    exchange,
    request: exchange.request,
    ...(overlooked !== undefined && { overlooked }),
    ...(first && { refusal: refusalError(refusals, first.text, first.facts), ground: first.finding }),
    warnings: findings.filter(
      (finding) =>
        !finding.cause &&
        finding.severity !== "info" &&
        !misleading.has(finding.rule) &&
        !grounds.some((ground) => ground.finding === finding),
    ),
  };
}

interface Reason {
  readonly finding: Finding;
  readonly facts: RefusalFacts;
  readonly text: RefusalText;
}

/** These lose something wherever they are sent; a provider may take them without a word. */
const demanded: ReadonlyMap<string, "refusesUnanswered" | "refusesOrphans"> = new Map([
  ["unanswered-tool-call", "refusesUnanswered"],
  ["orphaned-tool-result", "refusesOrphans"],
  ["call-id-mismatch", "refusesOrphans"],
]);

function isTaken({ rule }: Finding, demands: Demands): boolean {
  const demand = demanded.get(rule);
  return demand !== undefined && demands[demand] === false;
}

/** The reasons to refuse, in the order in which the provider would come to them. */
function reasonsAmong(
  findings: readonly Finding[],
  { request, demands }: Exchange & { readonly request: Request },
  { body, envelope, stored, purpose }: Judged,
  { texts }: Refusals,
): readonly Reason[] {
  const before = stored?.elements.length ?? 0;
  const placeOf = ({ locus }: Finding) => placeIn(locus.pointer, request.historyPointer, before);
  const alike = groupBy(findings, (finding) =>
    [finding.rule, finding.kind, placeOf(finding).index].join(" "),
  );
  const idsAlike = new Map(
    [...alike].map(([key, each]) => [key, each.flatMap(({ data }) => filled(data["callId"]) ?? [])]),
  );
  const whole = envelope?.body ?? body;
  const reasons = findings.flatMap((finding): Reason[] => {
    if (finding.severity !== "error" || isTaken(finding, demands)) return [];
    const { rule, kind, data } = finding;
    const place = placeOf(finding);
    const ids = idsAlike.get([rule, kind, place.index].join(" ")) ?? [];
    const facts: RefusalFacts = { rule, kind, data, ...place, ids, request, body: whole, purpose };
    const text = textFor(texts, facts);
    return text ? [{ finding, facts, text }] : [];
  });
  const stage = ({ text }: Reason): number => (text.stage === "shape" ? 0 : 1);
  return reasons.sort((a, b) => stage(a) - stage(b));
}

/** A place in the request itself: what the server has stored stands before it. */
function placeIn(
  pointer: string,
  historyPointer: string,
  before: number,
): { readonly pointer: string; readonly index?: number } {
  if (!pointer.startsWith(`${historyPointer}/`)) return { pointer };
  const [index = "", ...rest] = pointer.slice(historyPointer.length + 1).split("/");
  const own = Number(index) - before;
  if (!Number.isInteger(own)) return { pointer };
  // What is stored has no place in the request.
  if (own < 0) return { pointer: historyPointer, index: Number(index) };
  return { pointer: [historyPointer, own, ...rest].join("/"), index: own };
}
