import type { History } from "../../conversation/exchange.ts";
import type { Item } from "../../conversation/item.ts";
import { visible } from "../../reporters/visible.ts";
import { short } from "../../rules/words.ts";
import type { AskedTurn } from "./answer-source.ts";
import type { Conditions } from "./script.ts";

/** The first condition that a turn does not meet, in words; `undefined` if it meets all. */
export function unmetCondition(when: Conditions, turn: AskedTurn): string | undefined {
  const { exchange, request, isStreaming } = turn;
  const { user, system, model, tool, result, protocol, stream } = when;
  const tools = request.tools ?? [];
  if (protocol !== undefined && protocol !== exchange.protocol)
    return `the protocol is ${exchange.protocol}, not ${protocol}`;
  if (stream !== undefined && stream !== isStreaming)
    return stream ? "no stream is asked for" : "a stream is asked for";
  if (model !== undefined && !occurs(model, [request.model ?? ""]))
    return `the model's name ${quoted(request.model ?? "")} does not contain ${quoted(model)}`;
  if (typeof tool === "boolean" && tool !== tools.length > 0)
    return tool ? "no tools are offered" : "tools are offered";
  if (typeof tool === "string" && !tools.some(({ name }) => name === tool))
    return `the tool ${quoted(tool)} is not offered`;
  if (user !== undefined && !occurs(user, textsOf(request.history, isUsers)))
    return `no user message contains ${quoted(user)}`;
  if (system !== undefined && !occurs(system, [request.system ?? "", ...textsOf(request.history, isSystem)]))
    return `the system prompt does not contain ${quoted(system)}`;
  if (result === undefined) return undefined;
  const results = [...textsOf(request.history, (item) => item.kind === "result")];
  if (typeof result === "string")
    return occurs(result, results) ? undefined : `no tool result contains ${quoted(result)}`;
  if (result === results.length > 0) return undefined;
  return result ? "there is no result" : "there are results";
}

const quoted = (text: string): string => `\`${visible(short(text))}\``;

const isUsers = (item: Item): boolean => item.kind === "message" && item.role === "user";
const isSystem = (item: Item): boolean => item.kind === "message" && item.role === "system";

function* textsOf(history: History, isWanted: (item: Item) => boolean): Generator<string> {
  for (let index = 0; index < history.length; index++)
    for (const item of history.items(index)) if (isWanted(item) && "text" in item) yield item.text;
}

function occurs(sought: string, texts: Iterable<string>): boolean {
  const plain = plainForm(sought);
  for (const text of texts) if (plainForm(text).includes(plain)) return true;
  return false;
}

/** A text whose case and white space do not matter. */
function plainForm(text: string): string {
  return text.replace(/\s+/g, " ").toLowerCase();
}
