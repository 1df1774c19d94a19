import type { FailedAttempt, ReplyError } from "../conversation/reply.ts";
import { parseJson } from "../reading/parse.ts";
import { type Fields, fields, filled, isFields, list, number, string } from "./wire.ts";

/**
 * Whether the object under `error` can be a provider's error. When a program logs an exception, the object
 * holds the request and the response, and these are read instead.
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-errors/ai-api-call-error
 * @see https://axios-http.com/docs/handling_errors
 */
export function isErrorObject(value: unknown): boolean {
  const error = fields(value);
  if (carriers.some((key) => isFields(error[key]) || filled(error[key]) !== undefined)) return false;
  return Object.values(error).some((member) => typeof member === "string" || typeof member === "number");
}

/** Members of exceptions that hold a request, a response, or the exceptions of earlier attempts. */
const carriers = [
  "request",
  "requestBody",
  "requestBodyValues",
  "response",
  "responseBody",
  "config",
  "lastError",
];

/** Details of an error besides its message: the parameter, and the error of a server further behind. */
export function errorDetails(error: Fields): Pick<ReplyError, "param" | "detail"> {
  const param =
    filled(error["param"]) ?? locationOf(error["detail"]) ?? locationOf(fields(error["message"])["detail"]);
  const detail = [...textsWithin(pick(error, nesting), 0)].slice(0, maxTexts).join(" ");
  return { ...(param !== undefined && { param }), ...(detail !== "" && { detail }) };
}

/** Whether the `object` of a body says that it is an error: vLLM writes `error`, Mistral `Error`. */
export function namesError(object: unknown): boolean {
  return typeof object === "string" && /^error$/i.test(object);
}

/**
 * The error in a body. Some servers and languages write an empty one for none (R's lists, PHP's arrays), so
 * it is not an error beside other members.
 */
export function errorIn(body: Fields): unknown {
  const error = body["error"] ?? undefined;
  const isEmpty =
    error === "" || error === false || (typeof error === "object" && Object.keys(error).length === 0);
  const isOfError = body["type"] === "error" || namesError(body["object"]);
  return isEmpty && !isOfError && Object.keys(body).length > 1 ? undefined : error;
}

/** Members with the error of a server behind: OpenRouter's `metadata.raw`, Azure, Google's `details`. */
const nesting = ["metadata", "innererror", "inner_error", "details", "upstream_error", "cause"];

/** Members that hold text, or more such objects. */
const speaking = new Set([
  ...nesting,
  "raw",
  "error",
  "errors",
  "message",
  // Xiaomi writes its sentence there, beside `Param Incorrect`.
  // @see https://github.com/farion1231/cc-switch/issues/464
  "param",
  "description",
  "field",
  "fieldViolations",
  "detail",
]);

const maxDepth = 6;
const maxTexts = 12;
const maxText = 4000;

function pick(value: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(value, key)).map((key) => [key, value[key]]));
}

/** All text in an object, including text inside nested JSON strings. Members of other names are skipped. */
function* textsWithin(value: unknown, depth: number): Generator<string> {
  if (depth > maxDepth) return;
  if (typeof value === "string") {
    const text = value.slice(0, maxText);
    const inner = /^\s*[[{]/.test(text) ? parseJson(value) : undefined;
    if (isFields(inner) || Array.isArray(inner)) yield* textsWithin(inner, depth + 1);
    else if (text.trim() !== "") yield text;
  } else if (Array.isArray(value)) {
    for (const each of value.slice(0, maxTexts)) yield* textsWithin(each, depth + 1);
  } else if (isFields(value)) {
    const { param, message } = value;
    // Azure: `{message: "Value is 'null' but should be 'string'", param: "/input/2/status"}`.
    if (typeof param === "string" && /^\/\w/.test(param) && typeof message === "string") {
      yield `${param.slice(1, maxText)}: ${message.slice(0, maxText)}`;
      return;
    }
    // The field comes first, because the other members describe it.
    for (const key of Object.keys(value).sort((a, b) => Number(b === "field") - Number(a === "field")))
      if (speaking.has(key)) yield* textsWithin(value[key], depth + 1);
  }
}

/** `["body", "messages", 2, "assistant", "content"]` (FastAPI, pydantic) as `messages.2.content`. */
function locationOf(detail: unknown): string | undefined {
  for (const entry of list(detail)) {
    const [first, ...rest] = list(fields(entry)["loc"]);
    const path = first === "body" ? rest : [first, ...rest];
    const at = path.findIndex((part) => typeof part === "number");
    if (at < 1) continue;
    // After the index comes the kind of message that was tried.
    const below = path.slice(at + 1).filter((part, index) => index > 0 || typeof part !== "string");
    return [...path.slice(0, at + 1), ...below].join(".");
  }
  return undefined;
}

/** Failed attempts at other providers before this reply, as a gateway keeps them in a message's metadata. */
export function failedAttempts(message: Fields, base: string): FailedAttempt[] {
  const key = ["provider_metadata", "providerMetadata"].find((name) => isFields(message[name]));
  const routing = fields(fields(fields(message[key ?? ""])["gateway"])["routing"]);
  return list(routing["attempts"]).flatMap((entry, index): FailedAttempt[] => {
    const attempt = fields(entry);
    const error = string(attempt["error"]);
    if (attempt["success"] !== false || error === undefined) return [];
    return [
      {
        status: number(attempt["statusCode"]),
        error,
        pointer: `${base}/${key}/gateway/routing/attempts/${index}`,
      },
    ];
  });
}
