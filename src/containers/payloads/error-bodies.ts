import { parseJson } from "../../reading/parse.ts";
import { originOf, type Span } from "../../reading/place.ts";
import { type JsonNode, readValue } from "../../reading/scan.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { scalars } from "./candidates.ts";
import { contextWithin } from "./record-context.ts";
import { jsonPlace, type Slice, spanOf, streamPlace } from "./slice.ts";

/**
 * Errors that gateways, proxies and logs say in a form of their own: no API's reply looks like them, but
 * they stand where the reply to a request would, and the status, or the name under which they stand, says
 * that it failed.
 */

/** What came back, or its body. */
const responseKey =
  /^(?:raw|http|api|upstream|provider|llm)?[_-]?(?:response|resp|reply|result|output)(?:[_-]?(?:body|text|data|content|json|raw))?$/i;
const bodyKey = /^(?:raw|response)?[_-]?(?:body|text|content|data|payload|string|raw|json)$/i;
const errorKey =
  /^(?:last|api|raw|http|llm)?[_-]?(?:error|err|exception|failure)(?:[_-]?(?:message|msg|body|text|str|string|details?|response))?$/i;

/** Under what servers keep the words of an error, the most telling first. */
const wordKeys = [
  "message",
  "Message",
  "msg",
  "detail",
  "error_message",
  "errorMessage",
  "error_description",
  "responseBody",
  "body",
  "description",
  "reason",
  "error",
  "title",
];

const shortest = 8;
const longest = 20_000;
const maxDepth = 4;

/** The error in the form in which APIs say it; `undefined` where there are no words. */
function refusalIn(value: unknown): object | undefined {
  const message = wordsIn(value, 0);
  if (message === undefined) return undefined;
  const own = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  return { ...own, message, error: { message } };
}

function wordsIn(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof value === "string") {
    const text = value.trim();
    const inner = /^[{[]/.test(text) ? parseJson(text) : undefined;
    if (inner !== undefined) return wordsIn(inner, depth + 1);
    const isSaid = text.length >= shortest && !/^<(?:!doctype|html|\?xml)/i.test(text);
    return isSaid ? text.slice(0, longest) : undefined;
  }
  if (Array.isArray(value)) return wordsIn(value[0], depth + 1);
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as Record<string, unknown>;
  // What the server said tells more than what a library makes of it.
  for (const key of ["responseBody", "error", "errors", ...wordKeys]) {
    const inner = Object.hasOwn(members, key) ? members[key] : undefined;
    if (typeof inner === "string" && (key === "error" || key === "errors")) continue;
    const words = wordsIn(inner, depth + 1);
    if (words !== undefined) return words;
  }
  const { error } = members;
  return typeof error === "string" && error.trim().length >= shortest ? error.trim() : undefined;
}

/** The refusal of the request that a record holds, where it holds no reply that an API would give. */
export function errorBeside(
  at: Slice,
  record: JsonNode,
  found: readonly PayloadCandidate[],
  outer: RecordContext,
): PayloadCandidate | undefined {
  const [request] = found;
  if (found.length !== 1 || request?.part !== "request" || request.fidelity === "reported") return undefined;
  const said = wordsOf(at, record, outer.status, "record", 0);
  if (!said) return undefined;
  const span = spanOf(at, said.node);
  return {
    protocol: request.protocol,
    certainty: level.vague,
    record: { ...request.record, ...(said.status !== undefined && { status: said.status }) },
    start: originOf(span).start,
    place: jsonPlace(span),
    isCut: said.node.state === "open",
    fidelity: "wire",
    part: "reply",
    value: said.value,
  };
}

/** The refusal that a record holds by itself; which request it answers, an id has to tell. */
export function errorAlone(at: Slice, record: JsonNode, outer: RecordContext): PayloadCandidate | undefined {
  if (record.kind !== "object") return undefined;
  const context = contextWithin(outer, scalars(at, record));
  if ((context.status ?? 0) < 400 || context.ids.size === 0) return undefined;
  const said = wordsOf(at, record, context.status, "response", 0);
  if (!said) return undefined;
  const span = spanOf(at, said.node);
  return {
    protocol: "",
    certainty: level.vague,
    record: context,
    start: originOf(span).start,
    place: jsonPlace(span),
    isCut: said.node.state === "open",
    fidelity: "wire",
    part: "reply",
    value: said.value,
    isRefusal: true,
  };
}

/** The refusal that the text of a failed response is. */
export function errorInText(span: Span, text: string, record: RecordContext): PayloadCandidate | undefined {
  const value = (record.status ?? 0) >= 400 ? refusalIn(text) : undefined;
  if (!value) return undefined;
  const start = originOf(span).start;
  const place = streamPlace(span);
  return {
    protocol: "",
    certainty: level.vague,
    record,
    start,
    place,
    isCut: false,
    fidelity: "wire",
    part: "reply",
    value,
  };
}

interface Said {
  readonly node: JsonNode;
  readonly value: object;
  readonly status: number | undefined;
}

function wordsOf(
  at: Slice,
  node: JsonNode,
  outer: number | undefined,
  within: "record" | "response",
  depth: number,
): Said | undefined {
  if (node.kind !== "object" || depth > maxDepth) return undefined;
  const members = node.members ?? [];
  const context = contextWithin<RecordContext>({ headers: {}, ids: new Map(), index: 0 }, scalars(at, node));
  const status = context.status ?? outer;
  const hasFailed = (status ?? 0) >= 400;
  const take = (child: JsonNode): Said | undefined => {
    if ((child.kind !== "string" && child.kind !== "object") || child.end - child.start > longest)
      return undefined;
    const value = refusalIn(readValue(at.bytes, child, at.level));
    return value && { node: child, value, status };
  };
  for (const { key, node: child } of members) {
    const isBody = within === "response" && bodyKey.test(key);
    if (!isBody && !responseKey.test(key)) continue;
    const inner = child.kind === "object" ? wordsOf(at, child, status, "response", depth + 1) : undefined;
    const said = inner ?? (hasFailed ? take(child) : undefined);
    if (said) return said;
  }
  const named = members.find(({ key }) => errorKey.test(key));
  const said = named && take(named.node);
  if (said) return said;
  return within === "response" && hasFailed && depth > 0 && !members.some(({ key }) => bodyKey.test(key))
    ? take(node)
    : undefined;
}
