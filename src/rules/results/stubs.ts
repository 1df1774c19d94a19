import { parseJson } from "../../reading/parse.ts";

/** Longer results have real content. */
const longest = 300;

const patterns: readonly RegExp[] = [
  /^(?:error:? )?(?:this |the )?(?:tool|function)(?: call)?(?: ['"`]?[\w.:-]{1,64}['"`]?)? (?:is |has )?(?:not (?:yet )?(?:been )?(?:implemented|supported|available|executed|wired up|connected)|unsupported|unimplemented)\b/i,
  /^(?:error:? )?(?:unsupported|unimplemented|unhandled) (?:tool|function)\b/i,
  /^(?:error:? )?(?:['"`]?[\w.:-]{1,64}['"`]?:? )?(?:is )?not (?:yet )?implemented(?: yet)?\b/i,
  /^(?:error:? )?no (?:handler|implementation|executor|function) (?:is )?(?:registered |found |available |defined )?for\b/i,
  /^(?:(?:stub|placeholder|dummy|mock(?:ed)?) (?:result|response|output|data|value|implementation)|todo:? implement)\b/i,
  /^(?:(?:the )?tool (?:call )?(?:limit|budget) (?:was )?(?:reached|exceeded|exhausted)|maximum (?:number of )?tool calls (?:reached|exceeded))\b/i,
  /^notimplementederror\b/i,
];

/** Every stub contains one of these words; most results do not. A cheap first filter. */
const hints =
  /implement|support|available|executed|wired|connected|handler|executor|no function|stub|placeholder|dummy|mock|limit|budget|maximum|unhandled/i;

/** Pydantic AI's result for a call that it skipped because the run was over. */
const leftOut = /\ba (?:final )?(?:result|output|answer) was already processed\b/i;

/** The text of a stub without JSON or tags around it; `undefined` for a real result. */
export function stubOf(text: string): string | undefined {
  if (text.length > longest * 2 || !hints.test(text)) return undefined;
  const inner = unwrap(text, 3);
  return inner !== undefined &&
    inner.length <= longest &&
    patterns.some((pattern) => pattern.test(inner)) &&
    !leftOut.test(inner)
    ? inner
    : undefined;
}

/** The content of `{"error": "…"}`, `{"status": "…", "output": "…"}` or `<error>…</error>`. */
function unwrap(text: string, depth: number): string | undefined {
  const trimmed = text.trim();
  if (depth === 0) return trimmed;
  const tagged = /^<([\w-]{1,40})>([\s\S]*)<\/([\w-]{1,40})>$/.exec(trimmed);
  if (tagged?.[2] !== undefined && tagged[1] === tagged[3]) return unwrap(tagged[2], depth - 1);
  if (!/^[{["]/.test(trimmed)) return trimmed;
  const value = parseJson(trimmed);
  if (value === undefined) return trimmed;
  const texts = textsIn(value, depth);
  return texts.length === 1 ? unwrap(texts[0] ?? "", depth - 1) : undefined;
}

const labels =
  /^(?:status|type|code|success|ok|is_?error|tool|tool_?name|name|tool_?call_?id|call_?id|id|role)$/i;

/** The texts in a JSON value, without labels. */
function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => textsIn(each, depth - 1));
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
    labels.test(key) ? [] : textsIn(each, depth - 1),
  );
}
