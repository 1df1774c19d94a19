import type { Placed } from "../conversation.ts";

/**
 * Phrases with which clients open a history that a summary replaced, from the clients' own prompts. Whole
 * phrases, because users also say "summary".
 */
const phrases: readonly RegExp[] = [
  /this session is being continued from a previous conversation/i, // Claude Code
  /another language model started to solve this problem and produced a summary/i, // Codex
  /the conversation history before this point was compacted/i, // pi
  /what did we do so far\?/i, // opencode, kilo
  /continue if you have next steps/i, // opencode
  /<state_snapshot>|<context_summary>|<conversation_summary>|<summary>/i, // gemini-cli, qwen-code, Anthropic's compaction
  /here is (?:a|the) summary of (?:the|our) (?:conversation|session|earlier)/i,
  /summary of (?:the )?(?:previous|earlier) (?:conversation|messages|turns)/i,
  /(?:previous|earlier) (?:conversation|messages|turns) (?:has|have|was|were) (?:been )?(?:summari[sz]ed|compacted|compressed|truncated)/i,
  /\[?(?:conversation|context|history) (?:summary|compacted|compressed)\]?\s*[:\]]/i,
  /^[\s#*<[(=-]{0,12}(?:(?:the|conversation|context|session|chat|history|progress|previous|running|prior|work|state|memory|task)[ _]){0,3}(?:summary|recap)(?:[\s#*>\])=-]{0,8}:| (?:of|so far)\b(?=.{0,60}\b(?:previous|earlier|prior|past|so far|conversation|session|steps|events|history|progress|work)\b))/i, // a heading of the client's own
];

/**
 * Every phrase contains one of these in some case. Plain searches spare most texts the rest: to compile one
 * pattern of them takes longer than to check a small log for compactions.
 */
const hints = [
  "summar",
  "recap",
  "compact",
  "compress",
  "truncat",
  "previous conversation",
  "so far?",
  "next steps",
  "state_snapshot",
  "context_",
];

/** Minimum length of a summary; shorter texts recur by chance. */
const minSummary = 40;
/** Compares only the beginning of a reply: clients add headings and cut the end. */
const probe = 160;
/** A summary begins within this many characters of its message. */
const reach = 3000;

/** The part of a reply to remember in case it is a summary; empty if too short. */
export function summaryProbe(reply: string): string {
  const start = flat(reply.slice(0, probe * 4)).slice(0, probe);
  return start.length >= minSummary ? start : "";
}

/**
 * Whether the new items at the start of a history announce a compaction: by a known client's phrase, or
 * because an earlier reply ({@link summaryProbe}) appears there in another role.
 */
export function announcesCompaction(added: readonly Placed[], recentProbes: readonly string[]): boolean {
  // What the model says after work of its own sums up that work: `<summary>Fixed the test.</summary>`.
  let hasWorked = false;
  const texts = added.flatMap(({ item }) => {
    if (item.kind === "compaction") return ["<summary>"];
    hasWorked ||= item.kind === "call" || item.kind === "result";
    const isAnnouncement = item.kind === "message" && !(hasWorked && item.role === "assistant");
    return isAnnouncement ? [item.text.slice(0, reach)] : [];
  });
  if (texts.some((text) => hasHint(text) && phrases.some((phrase) => phrase.test(text)))) return true;
  return recentProbes.length > 0 && quotes(added, ...recentProbes);
}

function hasHint(text: string): boolean {
  const lower = text.toLowerCase();
  return hints.some((hint) => lower.includes(hint));
}

/** Whether a reply ({@link summaryProbe}) stands in one of the items, in another role than the model's. */
export function quotes(added: readonly Placed[], ...probes: readonly string[]): boolean {
  return added.some(({ item }) => {
    if (item.kind !== "message" || item.role === "assistant") return false;
    const text = flat(item.text.slice(0, reach));
    return probes.some((start) => start !== "" && text.includes(start));
  });
}

/** Leaves single spaces as they are: to replace each costs four times as much. */
function flat(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, " ").trim();
}
