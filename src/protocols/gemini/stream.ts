import type { Extent, Fragments, Item } from "../../conversation/item.ts";
import type { Finish, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import type { StreamBody } from "../protocol.ts";
import { withFragment, withFragments } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string } from "../wire.ts";
import { partsIn } from "./contents.ts";
import { member, wireName } from "./names.ts";
import { addPartialArguments } from "./partial-arguments.ts";
import { decodedItems, errorOf, finishOf, nameFlaws, unwrap, usageOf } from "./reply.ts";

interface PartBuilder {
  part: Fields;
  texts: string[];
  /** Streamed arguments (Vertex), while more are announced. */
  args: Record<string, unknown> | undefined;
  isOpen: boolean;
  fragments: Fragments;
}

/** Assembles one model turn. Consecutive texts are one part; only Vertex can stream a call's arguments. */
export function decodeStream(body: StreamBody): Reply {
  const parts: PartBuilder[] = [];
  const flaws: ReplyFlaw[] = [];
  const others = new Set<number>();
  const chunks: Chunk[] = [];
  let first = "/candidates/0";
  let id: string | undefined;
  let model: string | undefined;
  let finish: Finish | undefined;
  let usage: Usage | undefined;
  let error: ReplyError | undefined;

  const flaw = (kind: ReplyFlaw["kind"], isHarmless: boolean, detail: string, extent: Extent): void => {
    if (!flaws.some((found) => found.kind === kind))
      flaws.push({ kind, isHarmless, detail, pointer: "", extent });
  };
  const addArguments: AddArguments = (args, chunks, extent) => {
    const path = addPartialArguments(args, chunks);
    if (path !== undefined)
      flaw("unplaced-fragment", false, `the path \`${start(path)}\` leads to no argument`, extent);
  };

  for (const frame of body.frames) {
    const unwrapped = unwrap(frame.value);
    const { value } = unwrapped;
    if (unwrapped.base !== "") first = unwrapped.first;
    id ??= filled(member(value, "responseId"));
    model ??= filled(member(value, "modelVersion"));
    usage = usageOf(value) ?? usage;
    error ??= errorOf(frame.value, (body.status ?? 200) < 400, frame.extent);
    finish = finishOf(unwrapped, frame.extent) ?? finish;
    for (const [place, choice] of list(value["candidates"]).map(fields).entries()) {
      const index = number(choice["index"]) ?? place;
      if (index > 0) {
        others.add(index);
        continue;
      }
      const content = fields(choice["content"]);
      const given = partsIn(content);
      if (given.length > 0 || Array.isArray(content["parts"])) chunks.push(chunkOf(content));
      for (const part of given) addPart(parts, fields(part), frame.extent, addArguments);
    }
  }

  // A whole reply without a finish reason looks like a chunk. One object that no stream frames is no stream.
  const isLone = body.frames.length === 1 && body.framing !== "sse";
  const isComplete = finish !== undefined || isLone;
  const wireParts = parts.map(wirePart);
  const items = itemsOf(parts, wireParts, first, isComplete);
  const whole = { role: "model", parts: wireParts };
  return defined({
    place: body.place,
    form: isLone ? ("json" as const) : ("stream" as const),
    id,
    model,
    items,
    writings: items.length > 0 ? [[whole]] : undefined,
    moreWritings: items.length > 0 ? () => unmerged(chunks, wireParts) : undefined,
    finish,
    usage,
    state: isComplete ? ("complete" as const) : ("open" as const),
    error,
    flaws: [...flaws, ...nameFlaws(items)],
    otherChoices: others.size,
  });
}

/**
 * The content of one event: the length of its text if it holds nothing else, otherwise JSON, which takes a
 * third of the memory of values. A log may have a hundred thousand replies of a hundred events each.
 */
type Chunk = number | string;

function chunkOf(content: Fields): Chunk {
  const parts = content["parts"];
  const part = Array.isArray(parts) && parts.length === 1 ? fields(parts[0]) : {};
  const { text } = part;
  const isText = typeof text === "string" && Object.keys(part).length === 1;
  const isPlain = Object.keys(content).every((key) => key === "parts" || content[key] === "model");
  return isText && isPlain ? text.length : JSON.stringify({ role: "model", ...content });
}

/** Some clients keep every chunk as its own content, others keep all parts unmerged in one content. */
function unmerged(chunks: readonly Chunk[], whole: readonly Fields[]): unknown[][] {
  const text = whole.map((part) => string(part["text"]) ?? "").join("");
  let at = 0;
  const contents = chunks.map((chunk): Fields => {
    const start = at;
    if (typeof chunk === "number") {
      at += chunk;
      return { role: "model", parts: [{ text: text.slice(start, at) }] };
    }
    const content = fields(JSON.parse(chunk));
    for (const part of partsIn(content)) at += string(fields(part)["text"])?.length ?? 0;
    return content;
  });
  return [contents, [{ role: "model", parts: contents.flatMap((content) => list(content["parts"])) }]];
}

type AddArguments = (args: Record<string, unknown>, chunks: unknown, extent: Extent) => void;

function start(path: string): string {
  return path.length <= 40 ? path : `${path.slice(0, 40)}…`;
}

function addPart(parts: PartBuilder[], part: Fields, extent: Extent, addArguments: AddArguments): void {
  const last = parts.at(-1);
  const text = string(part["text"]);
  if (text !== undefined) {
    // A signature may arrive after the text it signs, with an empty text; it belongs to the earlier text.
    const isSame =
      last && last.texts.length > 0 && (last.part["thought"] === true) === (part["thought"] === true);
    if (isSame) {
      last.part = { ...last.part, ...part };
      last.texts.push(text);
      last.fragments = text === "" ? last.fragments : withFragment(last.fragments, extent);
      return;
    }
    parts.push({
      part,
      texts: [text],
      args: undefined,
      isOpen: false,
      fragments: withFragment(undefined, extent),
    });
    return;
  }
  const call = member(part, "functionCall");
  if (isFields(call) && addToCall(last, call, extent, addArguments)) return;
  const builder: PartBuilder = {
    part,
    texts: [],
    args: undefined,
    isOpen: false,
    fragments: withFragment(undefined, extent),
  };
  if (isFields(call)) {
    builder.isOpen = member(call, "willContinue") === true;
    const partial = member(call, "partialArgs");
    if (builder.isOpen || partial !== undefined) builder.args = { ...fields(call["args"]) };
    if (builder.args) addArguments(builder.args, partial, extent);
  }
  parts.push(builder);
}

/** Extends the previous call while it is still open, unless a new name begins another. */
function addToCall(
  last: PartBuilder | undefined,
  call: Fields,
  extent: Extent,
  addArguments: AddArguments,
): boolean {
  if (!last?.isOpen || !last.args) return false;
  const begun = fields(member(last.part, "functionCall"));
  const isOther =
    filled(call["name"]) !== undefined && (call["name"] !== begun["name"] || call["id"] !== begun["id"]);
  if (isOther) return false;
  addArguments(last.args, member(call, "partialArgs"), extent);
  last.isOpen = member(call, "willContinue") === true;
  last.fragments = withFragment(last.fragments, extent);
  return true;
}

function itemsOf(
  parts: readonly PartBuilder[],
  wireParts: readonly Fields[],
  first: string,
  isComplete: boolean,
): Item[] {
  return decodedItems(wireParts, first).map((item): Item => {
    const built = parts[Number(item.pointer.slice(item.pointer.lastIndexOf("/") + 1))];
    if (!built) return item;
    const placed = withFragments(item, built.fragments);
    if (placed.kind !== "call") return placed;
    return { ...placed, state: built.isOpen && !isComplete ? "open" : "complete" };
  });
}

/** A part as a non-streamed body would carry it. */
function wirePart({ part, texts, args }: PartBuilder): Fields {
  if (texts.length > 0) return { ...part, text: texts.join("") };
  const key = wireName(part, "functionCall");
  return args ? { ...part, [key]: { ...fields(part[key]), args } } : part;
}
