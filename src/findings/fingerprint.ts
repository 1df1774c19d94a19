import type { Conversation } from "../conversation/conversation.ts";
import type { Finding } from "./finding.ts";
import { unlistedBy } from "./unlisted.ts";

/** Facts that every recording of the same mistake shares: no ids, numbers, times or model output. */
const steadyFacts: ReadonlySet<string> = new Set([
  "tool",
  "tools",
  "role",
  "reason",
  "failure",
  "family",
  "path",
  "property",
  "wanted",
  "type",
  "form",
  "callKind",
  "resultKind",
  "defect",
  "flaws",
]);

/**
 * Returns a function that makes the fingerprints of a run's findings; call it in their order. Another
 * recording of the same mistake gets the same fingerprint: it depends on the rule, its facts, the start of
 * the conversation and the ordinal among equal findings, never on lines, ids or file names.
 */
export function fingerprinter(conversations: readonly Conversation[]): (finding: Finding) => string {
  let named: ReadonlyMap<string | undefined, Conversation> | undefined;
  /** Of the conversations with findings: a log may have tens of thousands without. */
  const openings = new Map<Conversation | undefined, string>();
  const seen = new Map<string, number>();
  return ({ rule, kind, data, locus }) => {
    const facts = unlistedBy({ data }) > 0 ? "unlisted" : steadyFactsIn(data);
    named ??= new Map(conversations.map((each) => [each.name, each]));
    const conversation = named.get(locus.conversation);
    const opening = openings.get(conversation) ?? (conversation ? openingOf(conversation) : "");
    openings.set(conversation, opening);
    const text = JSON.stringify([rule, kind, locus.exchange.protocol, opening, facts]);
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return fingerprintOf(`${text} ${count}`);
  };
}

/** Those of a finding's facts that another recording of the same mistake shares. */
export function steadyFactsIn(data: Finding["data"]): [name: string, value: unknown][] {
  return Object.entries(data).filter(([key]) => steadyFacts.has(key));
}

/** The beginning of the first user message, with numbers and ids removed. */
function openingOf({ steps }: Conversation): string {
  const opening = steps[0]?.added.find(({ item }) => item.kind === "message" && item.role === "user")?.item;
  if (opening?.kind !== "message") return "";
  return opening.text.slice(0, 200).replace(/[0-9a-f]{8,}|\d+/gi, "0");
}

/**
 * A name of 16 hex digits for a text, the same on every machine. It distinguishes findings in a baseline and
 * guards no secret, so a small hash suffices: loading the crypto library would cost a tenth of a cold start.
 */
export function fingerprintOf(text: string): string {
  return half(text, 0x9e3779b9) + half(text, 0x85ebca6b);
}

/** FNV-1a over UTF-16 units with a final mix, 32 bits. */
function half(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
