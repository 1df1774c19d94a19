import { canonical } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { linesOf, type Origin } from "../../reading/origin.ts";
import { visible } from "../../reporters/visible.ts";
import { short, shortApart } from "../../rules/words.ts";
import type { AskedTurn } from "./answer-source.ts";
import type { Point } from "./prefix-tree.ts";
import type { RecordedTurn } from "./recorded-replies.ts";
import type { Said } from "./said.ts";

/** How far a conversation goes along with recorded ones. */
export interface Way {
  readonly point: Point<RecordedTurn>;
  readonly length: number;
}

/** Why no recorded conversation fits: what differs from the nearest one of the same protocol. */
export function whyMissed(
  conversation: readonly Said[],
  ways: readonly Way[],
  { exchange: { protocol } }: AskedTurn,
  inLog: Iterable<string>,
): string {
  const [nearest] = [...ways].sort((a, b) => b.length - a.length);
  if (!nearest) {
    const names = [...inLog].join(", ");
    return names === ""
      ? "the log has no conversation"
      : `this request is ${protocol}, and the log has only ${names}`;
  }
  const { point, length } = nearest;
  const said = conversation[length];
  if (!said) return whyUnanswered(point);
  const closest = closestTo(said, point.following);
  if (!closest) {
    const end = point.said ? `${endOf(point.said)}, and` : "the log has no history, but";
    return `${end} the history continues with ${messageOf(said)} (${headOf(said)})`;
  }
  if (length === 0) {
    const [asked, recorded] = apart(said, closest);
    return `the log has no conversation that begins with ${asked}; ${placeOf(closest)} begins with ${recorded}`;
  }
  const [asked, recorded] = apart(said, closest);
  const isAlike = kindOf(said) === kindOf(closest);
  return isAlike
    ? `${messageOf(said)} (${kindOf(said)}) is ${asked}; ${placeOf(closest)} has ${recorded}`
    : `${messageOf(said)} is ${headOf(said)}; ${placeOf(closest)} has ${headOf(closest)}`;
}

/** The log has the whole history, but no reply to it. */
function whyUnanswered({ endings, following, said }: Point<RecordedTurn>): string {
  const [ending] = endings;
  if (ending) {
    const place = requestPlace(ending);
    if (ending.outcome === "without a reply")
      return `the log ends here: ${place} has no reply to this history`;
    return `${place} has this history, but its reply is ${ending.outcome === "failed" ? "an error" : "cut off"}`;
  }
  const [next] = following;
  const more = next?.said;
  if (more) return `the log has no request that ends here: ${placeOf(more)} continues with ${headOf(more)}`;
  return said ? endOf(said) : "the history is empty";
}

function endOf(said: Said): string {
  return `the log ends here: nothing follows ${placeOf(said)}`;
}

/** How many recorded ways to go on are compared. */
const mostCompared = 200;

/** Of the ways in which the log goes on, the one most similar to what was said. */
function closestTo(said: Said, following: Iterable<Point<RecordedTurn>>): Said | undefined {
  let best: { readonly said: Said; readonly score: number } | undefined;
  let compared = 0;
  for (const { said: other } of following) {
    if (!other || compared++ >= mostCompared) continue;
    const score = (kindOf(said) === kindOf(other) ? 2 : 0) + similarity(textOf(said), textOf(other));
    if (score > (best?.score ?? -1)) best = { said: other, score };
  }
  return best?.said;
}

/** How many characters of a text are compared. */
const comparedText = 4000;

/** The part of two texts' words that both have, from 0 to 1. */
function similarity(a: string, b: string): number {
  const words = (text: string): Set<string> => new Set(text.slice(0, comparedText).split(/\s+/));
  const [left, right] = [words(a), words(b)];
  let common = 0;
  for (const word of left) if (right.has(word)) common++;
  return (2 * common) / (left.size + right.size);
}

function messageOf({ element }: Said): string {
  return `message ${element + 1}`;
}

/** `result of get_weather`. */
function kindOf({ item, call }: Said): string {
  switch (item.kind) {
    case "call":
      return `call of ${named(item)}`;
    case "result":
      return `result of ${named(call ?? item)}`;
    case "message":
      return item.role === "assistant" ? "assistant text" : "user text";
    case "compaction":
      return "summary";
    default:
      return item.kind === "opaque" ? visible(short(item.wireType)) : item.kind;
  }
}

const named = ({ name }: { readonly name?: string }): string =>
  name === undefined ? "a call" : visible(short(name));

function textOf({ item }: Said): string {
  if (item.kind === "call") return argumentsOf(item);
  return "text" in item ? item.text : "";
}

function argumentsOf({ arguments: value, argumentsText }: ToolCall): string {
  return value === undefined ? argumentsText : canonical(value);
}

/** ``call of get_weather `{"city":"Lima"}` ``. */
function headOf(said: Said): string {
  return `${kindOf(said)} ${quoted(short(textOf(said)))}`;
}

/** Both texts, cut so that the difference shows. */
function apart(asked: Said, recorded: Said): readonly [string, string] {
  if (kindOf(asked) !== kindOf(recorded)) return [headOf(asked), headOf(recorded)];
  const [left, right] = shortApart(textOf(asked), textOf(recorded));
  return [quoted(left), quoted(right)];
}

function quoted(text: string): string {
  return `\`${visible(text)}\``;
}

/** `run.jsonl:12`. */
function placeOf({ from: { exchange, part }, element, item }: Said): string {
  const { request, reply } = exchange;
  const place = part === "request" ? request?.place : reply?.place;
  const pointer = part === "request" ? `${request?.historyPointer ?? ""}/${element}` : item.pointer;
  return place ? lineAt(place.locate(pointer)) : exchange.file;
}

function requestPlace({ exchange }: RecordedTurn): string {
  const { request, file } = exchange;
  return request ? lineAt(request.place.origin) : file;
}

function lineAt({ source, start }: Origin): string {
  return `${source.name}:${linesOf(source).at(start).line}`;
}
