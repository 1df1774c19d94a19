import type { Request, ToolDefinition } from "../conversation/exchange.ts";
import { canonical } from "../conversation/identity.ts";
import { normalizeVolatile } from "../conversation/normalize-volatile.ts";
import { plainText } from "../reading/escapes.ts";
import { pushAll } from "../reading/lists.ts";
import { parseJson } from "../reading/parse.ts";
import { valueAt } from "../reading/pointer.ts";
import { isFields } from "../reading/values.ts";

/** A difference between two requests outside their histories. */
export interface SettingDifference {
  readonly setting: "model" | "system" | "tools" | "tool-choice" | "parameter";
  /** The name of the tool or parameter. */
  readonly name?: string;
  /** The value on each side; `undefined` if that side has none. */
  readonly left: unknown;
  readonly right: unknown;
  /** RFC 6901 pointers into the bodies; `""`, the body, if a side has no such value. */
  readonly leftPointer: string;
  readonly rightPointer: string;
}

export interface SettingOptions {
  readonly isStrict: boolean;
  readonly isAcross: boolean;
}

/** A request with its system prompts. Those that lead the history count as settings in all protocols. */
export interface Asked {
  readonly request: Request;
  /** All leading system prompts, those outside the history first. */
  readonly system: string | undefined;
  readonly systemPointer: string;
}

/** Compares the settings of requests, one pair after another, for the same two logs. */
export function settingsComparer(
  options: SettingOptions,
): (left: Asked, right: Asked) => readonly SettingDifference[] {
  const readLeft = parameterReader();
  const readRight = parameterReader();
  let last:
    | { readonly left: Body; readonly right: Body; readonly found: readonly SettingDifference[] }
    | undefined;
  return (left, right) => {
    const a: Body = { ...left, parameters: readLeft(left.request) };
    const b: Body = { ...right, parameters: readRight(right.request) };
    // Most requests of a run differ only in their histories.
    if (last && isSameBody(last.left, a) && isSameBody(last.right, b)) return last.found;
    last = { left: a, right: b, found: compareSettings(a, b, options) };
    return last.found;
  };
}

interface Body extends Asked {
  readonly parameters: Parameters | undefined;
}

function isSameBody(a: Body, b: Body): boolean {
  return a.parameters !== undefined && a.parameters === b.parameters && a.system === b.system;
}

function compareSettings(
  left: Body,
  right: Body,
  { isStrict, isAcross }: SettingOptions,
): SettingDifference[] {
  const found: SettingDifference[] = [];
  const a = left.request;
  const b = right.request;
  const clean = (text: string | undefined): string =>
    isStrict ? (text ?? "") : normalizeVolatile(flat(text ?? ""), "machine");

  // Some protocols name the model in the URL, which not every log keeps, so a missing name is no difference.
  if (!isAcross && a.model !== undefined && b.model !== undefined && a.model !== b.model)
    found.push({
      setting: "model",
      left: a.model,
      right: b.model,
      leftPointer: "/model",
      rightPointer: "/model",
    });
  if (clean(left.system) !== clean(right.system)) {
    found.push({
      setting: "system",
      left: left.system,
      right: right.system,
      leftPointer: left.systemPointer,
      rightPointer: right.systemPointer,
    });
  }
  pushAll(found, toolDifferences(left, right, isAcross));
  const choices = [choiceOf(a), choiceOf(b)] as const;
  if (canonical(choices[0]) !== canonical(choices[1])) {
    found.push({
      setting: "tool-choice",
      left: choices[0],
      right: choices[1],
      leftPointer: "/tool_choice",
      rightPointer: "/tool_choice",
    });
  }
  // What a record keeps of a run, such as its score and its costs, was no parameter of a request.
  const areRecords = a.isOfRecord === true || b.isOfRecord === true;
  if (!isAcross && !areRecords) pushAll(found, parameterDifferences(left, right, isStrict));
  return found;
}

/** Ignores white space in and between prompts, because clients join them differently. */
function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** No tool choice means `auto`. */
function choiceOf({ toolChoice }: Request): { readonly mode: string; readonly name?: string } | null {
  return toolChoice && toolChoice.mode !== "auto" ? toolChoice : null;
}

function toolDifferences(a: Body, b: Body, isAcross: boolean): SettingDifference[] {
  const found: SettingDifference[] = [];
  const add = (tool: ToolDefinition | undefined, other: ToolDefinition | undefined): void => {
    found.push({
      setting: "tools",
      name: tool?.name ?? other?.name ?? "",
      left: tool && wholeTool(a, tool),
      right: other && wholeTool(b, other),
      leftPointer: tool?.pointer ?? "",
      rightPointer: other?.pointer ?? "",
    });
  };
  const own = a.request.tools ?? [];
  const others = b.request.tools ?? [];
  const byName = new Map(others.map((tool) => [tool.name, tool]));
  const names = new Set(own.map(({ name }) => name));
  for (const tool of own) {
    const other = byName.get(tool.name);
    if (!other || (!isAcross && canonical(wholeTool(a, tool)) !== canonical(wholeTool(b, other))))
      add(tool, other);
  }
  for (const tool of others) if (!names.has(tool.name)) add(undefined, tool);
  return found;
}

/** A tool as the request defines it; only its parameters if the body cannot be read again. */
function wholeTool(body: Body, { pointer, parameters }: ToolDefinition): unknown {
  return valueAt(body.parameters, pointer) ?? parameters ?? {};
}

/** Members that are compared elsewhere, and those that control only how the reply is sent. */
const comparedElsewhere = new Set([
  "model",
  "messages",
  "input",
  "contents",
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "tools",
  "functions",
  "toolConfig",
  "tool_config",
  "tool_choice",
  "function_call",
  "stream",
  "stream_options",
]);

function* parameterDifferences(a: Body, b: Body, isStrict: boolean): Generator<SettingDifference> {
  const { parameters: left } = a;
  const { parameters: right } = b;
  if (!left || !right) return;
  const links = new Set([...Object.values(a.request.links), ...Object.values(b.request.links)]);
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (comparedElsewhere.has(name)) continue;
    const values = [left, right].map((all) => (Object.hasOwn(all, name) ? all[name] : undefined));
    // Values that name a conversation or an earlier reply are ids, whatever their form.
    if (!isStrict && values.some((value) => typeof value === "string" && links.has(value))) continue;
    const texts = values.map((value) => (value === undefined ? "" : canonical(value)));
    const [one, other] = isStrict ? texts : texts.map((text) => normalizeVolatile(text, "machine"));
    if (one === other) continue;
    yield {
      setting: "parameter",
      name,
      left: values[0],
      right: values[1],
      leftPointer: `/${name}`,
      rightPointer: `/${name}`,
    };
  }
}

type Parameters = Readonly<Record<string, unknown>>;

/** The maximum size of a body without its history, in bytes. */
const maxBeside = 4 << 20;
/** The number of bodies cached by their bytes; clients alternate between a few kinds of requests. */
const maxKept = 4;

/** Parses bodies, with `[]` as history; `undefined` unless an object. The same bytes give the same object. */
function parameterReader(): (request: Request) => Parameters | undefined {
  const kept: { readonly head: Buffer; readonly tail: Buffer; readonly value: Parameters | undefined }[] = [];
  return ({ place, history }) => {
    const { view, start, end, level } = place.span;
    const { arrayStart, arrayEnd, level: depth } = history.run;
    const isInside = arrayStart >= start && arrayEnd <= end && arrayEnd > arrayStart;
    const [from, to] = isInside ? [arrayStart, arrayEnd] : [end, end];
    if ((isInside && level !== depth) || from - start + (end - to) > maxBeside) return undefined;
    const head = view.read(start, from);
    const tail = view.read(to, end);
    const same = kept.find((one) => one.head.equals(head) && one.tail.equals(tail));
    if (same) return same.value;
    const texts = [head, tail].map((part) => plainText(part, 0, part.length, level));
    const value = parseJson(texts.join(isInside ? "[]" : ""));
    kept.unshift({ head, tail, value: isFields(value) ? value : undefined });
    kept.length = Math.min(kept.length, maxKept);
    return kept[0]?.value;
  };
}
