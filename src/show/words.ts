import type { FinishMeaning } from "../conversation/reply.ts";
import type { Described, ShownReply, ShownRequest, ShownStep, Tokens } from "./shown.ts";

/** `1 call`, `3 calls`, `12,000 calls`. */
export function countText(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** `830 ms`, `2.1 s`, `3 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `12,300 + 85 tokens`: input and output. */
export function tokensText({ input, output, cached }: Tokens): string {
  const text = `${input.toLocaleString("en")} + ${output.toLocaleString("en")} tokens`;
  return cached > 0 ? `${text} (${cached.toLocaleString("en")} cached)` : text;
}

/** `1,234 tokens in (1,000 cached), 56 out`, where there is room for words. */
export function tokensInWords({ input, output, cached }: Tokens): string {
  const [sent, kept, made] = [input, cached, output].map((count) => count.toLocaleString("en"));
  return `${sent} tokens in${cached > 0 ? ` (${kept} cached)` : ""}, ${made} out`;
}

/** The size of a text: `310 B`, `8.1 kB`, `2.4 MB`. */
export function sizeText(text: string): string {
  return bytesText(Buffer.byteLength(text));
}

/** `310 B`, `8.1 kB`, `2.4 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_950 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const meanings: Readonly<Record<FinishMeaning, string>> = {
  answer: "answers",
  calls: "calls tools",
  length: "cut at the token limit",
  filter: "stopped by a content filter",
  refusal: "refuses",
  pause: "pauses",
  "malformed-call": "made a malformed call",
  error: "failed",
  compaction: "compacts",
  other: "stopped",
};

/** Stop reasons with which the calls of a reply may be run. */
const plain: ReadonlySet<FinishMeaning> = new Set(["answer", "calls", "other"]);

/** What a reply amounts to, by its calls and its stop reason; `reason` is the provider's own word. */
export function outcomeText({ wantsTools, stop, items }: ShownReply<Described>, reason: string): string[] {
  if (!stop) return wantsTools ? [meanings.calls] : [];
  const said = reason === "" ? "" : ` (${reason})`;
  if (wantsTools)
    return plain.has(stop.meaning)
      ? [`${meanings.calls}${said}`]
      : [meanings.calls, `${meanings[stop.meaning]}${said}`];
  const isHollow = stop.meaning === "calls" && !items.some(({ kind }) => kind === "call");
  return [`${isHollow ? "announces calls, has none" : meanings[stop.meaning]}${said}`];
}

/** The relation of a step to earlier ones, if it is unusual. */
export function relationText({ relation, after, isPartial, isAside }: ShownStep<Described>): string[] {
  const words = {
    start: [],
    continuation: [],
    retry: [`retry of ${after ?? "an earlier request"}`],
    repeat: ["the same request again"],
    branch: [isAside ? `side request after ${after}` : `branches off after ${after}`],
    compaction: [`compacted after ${after}`],
  }[relation];
  return isPartial ? [...words, "part of the history is not in the log"] : words;
}

/** What a request adds to the previous one, and what it lacks. */
export function countsText({ added, gone, length }: ShownRequest, { relation }: ShownStep): string {
  if (relation === "start") return `${countText(length, "item")} sent`;
  if (relation === "retry" || relation === "repeat") return "";
  const parts = [added.length > 0 && `+ ${added.length}`, gone.length > 0 && `− ${gone.length}`].filter(
    Boolean,
  );
  if (parts.length === 0) return "nothing new";
  return `${parts.join(" ")} ${added.length + gone.length === 1 ? "item" : "items"}`;
}
