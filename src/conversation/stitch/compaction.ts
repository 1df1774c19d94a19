import type { Placed } from "../conversation.ts";

/**
 * Words with which clients open a history that they have replaced by a summary. Each comes from a client's own prompt;
 * a user who merely says "summary" is not meant, so whole phrases are looked for.
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

/** Every phrase has one of these; looking for them first spares most texts the rest. */
const hint =
  /summar|recap|compact|compress|truncat|previous conversation|so far\?|next steps|state_snapshot|context_/i;

/** A summary is at least so long; shorter texts recur by chance. */
const minSummary = 40;
/** Only the beginning of a reply is looked for: clients add headings and cut the end. */
const probe = 160;
/** A summary stands near the beginning of the message that carries it. */
const reach = 3000;

/** What is kept of a reply, in case it turns out to have been a summary; empty when it is too short for one. */
export function summaryProbe(reply: string): string {
  const start = flat(reply.slice(0, probe * 4)).slice(0, probe);
  return start.length >= minSummary ? start : "";
}

/**
 * Whether new items at the beginning of a history say that it was replaced by a summary: by the phrases of known clients,
 * or because the text of an earlier reply ({@link summaryProbe}) stands there as somebody else's words.
 */
export function announcesCompaction(added: readonly Placed[], recentProbes: readonly string[]): boolean {
  const texts = added.flatMap(({ item }) => {
    if (item.kind === "compaction") return ["<summary>"];
    return item.kind === "message" ? [item.text.slice(0, reach)] : [];
  });
  if (texts.some((text) => hint.test(text) && phrases.some((phrase) => phrase.test(text)))) return true;
  if (recentProbes.length === 0) return false;
  return added.some(({ item }) => {
    if (item.kind !== "message" || item.role === "assistant") return false;
    const text = flat(item.text.slice(0, reach));
    return recentProbes.some((start) => text.includes(start));
  });
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
