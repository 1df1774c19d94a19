import type { History, RequestFault } from "../../conversation/exchange.ts";
import type { RequestBody } from "../../traffic/payload.ts";
import { fields, isFields, list, string } from "../wire.ts";

/**
 * `A maximum of 4 blocks with cache_control may be provided. Found 5.`
 * @see https://github.com/tghamm/Anthropic.SDK/issues/50
 */
const maxMarks = 4;

/** Faults that concern several places of a request at once: cache marks and tool names. */
export function furtherFaults(body: RequestBody, history: History): readonly RequestFault[] {
  return [...repeatedNames(body), ...surplusMarks(body, history)];
}

/** `tools: Tool names must be unique.` @see https://github.com/danny-avila/LibreChat/issues/13162 */
function* repeatedNames({ fields: request, base }: RequestBody): Generator<RequestFault> {
  const seen = new Set<string>();
  for (const [index, tool] of list(request["tools"]).entries()) {
    const name = string(fields(tool)["name"]);
    if (name === undefined) continue;
    if (seen.has(name))
      yield {
        kind: "limit",
        pointer: `${base}/tools/${index}/name`,
        wanted: "each name of a tool once",
        seen: JSON.stringify(name),
        known: [],
      };
    seen.add(name);
  }
}

/** The first mark beyond the limit, counted over the whole request. */
function surplusMarks({ fields: request, base }: RequestBody, history: History): readonly RequestFault[] {
  let count = isFields(request["cache_control"]) ? 1 : 0;
  let fifth: string | undefined;
  const add = (marks: readonly string[], pointer: string): void => {
    if (count <= maxMarks && count + marks.length > maxMarks)
      fifth = `${pointer}${marks[maxMarks - count] ?? ""}/cache_control`;
    count += marks.length;
  };
  add(marksOf(request["tools"]), `${base}/tools`);
  add(marksOf(request["system"]), `${base}/system`);
  for (let index = 0; index < history.length; index++)
    add(marksIn(history.element(index)), `${base}/messages/${index}/content`);
  if (fifth === undefined) return [];
  const seen = `the fifth mark for the cache, of ${count}`;
  return [{ kind: "limit", pointer: fifth, wanted: `at most ${maxMarks}`, seen, known: [] }];
}

const known = new WeakMap<object, readonly string[]>();

/** The marks of a message. Requests share messages, so each message is examined once. */
function marksIn(element: { readonly value: unknown }): readonly string[] {
  const marks = known.get(element) ?? marksOf(fields(element.value)["content"]);
  known.set(element, marks);
  return marks;
}

/** Pointers below a list to its marked blocks, including results and their parts. */
function marksOf(value: unknown): readonly string[] {
  return list(value).flatMap((block, index) => {
    if (!isFields(block)) return [];
    const inner = block["type"] === "tool_result" ? marksOf(block["content"]) : [];
    return [
      ...(isFields(block["cache_control"]) ? [`/${index}`] : []),
      ...inner.map((mark) => `/${index}/content${mark}`),
    ];
  });
}
