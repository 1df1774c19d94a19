import type { History, ToolDefinition } from "../../conversation/exchange.ts";
import { pushAll } from "../../reading/lists.ts";
import { lostTextCalls } from "./lost.ts";
import type { TextCall } from "./text-call.ts";

/** Calls written as text in a history, and their results: as text, or as results without a call. */
export interface TextRound {
  readonly calls: readonly TextCall[];
  /** The model's text without the calls. */
  readonly text: string;
  /** The results in call order; fewer if the client sent fewer. */
  readonly results: readonly string[];
  /** The user elements that contain only these results. */
  readonly resultElements: readonly number[];
  /** Ids in later results that no call has; these results can stay where they are. */
  readonly ids: readonly string[];
}

/** The round that begins at an element of a history; `undefined` if its text has no convertible calls. */
export function textRoundAt(
  history: History,
  element: number,
  tools: readonly ToolDefinition[] | undefined,
): TextRound | undefined {
  const items = history.items(element);
  const [said] = items;
  if (items.length !== 1 || said?.kind !== "message" || said.role !== "assistant" || said.hasMedia)
    return undefined;
  const calls = lostTextCalls(said.text, { tools, prompt: () => "", structured: [] });
  const isWhole = calls.every(
    (call) =>
      call.isClosed &&
      typeof call.arguments === "object" &&
      call.arguments !== null &&
      !Array.isArray(call.arguments) &&
      (!tools || tools.some(({ name }) => name === call.name)),
  );
  if (calls.length === 0 || !isWhole) return undefined;
  const results: string[] = [];
  const resultElements: number[] = [];
  const ids: string[] = [];
  for (let next = element + 1; next < history.length; next++) {
    if (results.length + ids.length >= calls.length) break;
    const found = history.items(next);
    const texts = found.flatMap((item) =>
      item.kind === "message" && item.role === "user" && !item.hasMedia ? resultsIn(item.text) : [],
    );
    const named = found.flatMap((item) => (item.kind === "result" ? [item.callId ?? ""] : []));
    if (found.length > 0 && named.length === found.length) pushAll(ids, named);
    else if (texts.length > 0 && found.every((item) => item.kind === "message")) {
      pushAll(results, texts);
      resultElements.push(next);
    } else break;
  }
  // Only unambiguous cases: as many results as calls, or none.
  const count = results.length + ids.length;
  const isOneWay = (results.length === 0 || ids.length === 0) && (count === 0 || count === calls.length);
  return isOneWay ? { calls, text: restOf(said.text, calls), results, resultElements, ids } : undefined;
}

/** The text without its calls. */
function restOf(text: string, calls: readonly TextCall[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of calls) {
    rest += text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return (rest + text.slice(at)).trim();
}

const tagged =
  /<(tool_response|tool_result|function_results?|function_response)\b[^>]{0,200}>([\s\S]*?)<\/\1>|\[TOOL_RESULTS\]([\s\S]*?)\[\/TOOL_RESULTS\]/g;
const headed =
  /^[ \t]*(?:\[?(?:tool|function) (?:result|response|output)(?: (?:for|of|from) [^\n:\]]{1,80})?\]?[ \t]*:?|observation:)[ \t]*\n?/gim;

/** The results that make up a user text; empty if it says anything else. */
function resultsIn(text: string): string[] {
  const found = [...text.matchAll(tagged)];
  if (found.length > 0) {
    const isAll = text.replace(tagged, "").trim() === "";
    return isAll ? found.map(([, , inner, bracketed]) => (inner ?? bracketed ?? "").trim()) : [];
  }
  const heads = [...text.matchAll(headed)];
  if (heads.length === 0 || text.slice(0, heads[0]?.index).trim() !== "") return [];
  return heads.map((head, index) => {
    const next = heads[index + 1]?.index;
    const output = text.slice(head.index + head[0].length, next);
    return next === undefined ? output : output.replace(/(?<!\n)\n+$/, "");
  });
}
