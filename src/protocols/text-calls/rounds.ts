import type { History, ToolDefinition } from "../../conversation/exchange.ts";
import { lostTextCalls } from "./lost.ts";
import type { TextCall } from "./text-call.ts";

/** Calls that stand in a history as text, with the results that follow them as text or as results of no call. */
export interface TextRound {
  readonly calls: readonly TextCall[];
  /** What the model says beside them. */
  readonly text: string;
  /** The results in the order of the calls; fewer where the client sent fewer. */
  readonly results: readonly string[];
  /** The elements of the user that hold nothing but these results. */
  readonly told: readonly number[];
  /** The ids that results behind it name although no call has them; these results can stay where they are. */
  readonly ids: readonly string[];
}

/** The round that begins with an element of a history; `undefined` where its text holds no calls that could be made of it. */
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
  const told: number[] = [];
  const ids: string[] = [];
  for (let next = element + 1; next < history.length; next++) {
    if (results.length + ids.length >= calls.length) break;
    const found = history.items(next);
    const texts = found.flatMap((item) =>
      item.kind === "message" && item.role === "user" && !item.hasMedia ? resultsIn(item.text) : [],
    );
    const named = found.flatMap((item) => (item.kind === "result" ? [item.callId ?? ""] : []));
    if (found.length > 0 && named.length === found.length) ids.push(...named);
    else if (texts.length > 0 && found.every((item) => item.kind === "message")) {
      results.push(...texts);
      told.push(next);
    } else break;
  }
  // One reading only: as many results as calls, or none.
  const count = results.length + ids.length;
  const isOneWay = (results.length === 0 || ids.length === 0) && (count === 0 || count === calls.length);
  return isOneWay ? { calls, text: restOf(said.text, calls), results, told, ids } : undefined;
}

/** The text without the calls in it. */
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

/** The results of which a text of the user is made; none where it says anything else. */
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
    const told = text.slice(head.index + head[0].length, next);
    return next === undefined ? told : told.replace(/\n+$/, "");
  });
}
