import { fields } from "../../reading/values.ts";

/** A tool call that a model wrote as text. */
export interface TextCall {
  /** The syntax's id in the table of families: `hermes`, `qwen3-coder`, `mistral-v11`… */
  readonly family: string;
  /** The tool's name, without an affix such as `functions.` that the syntax adds or no tool declares. */
  readonly name: string;
  /**
   * JSON text of the arguments, verbatim if written as JSON. XML syntaxes have no types: values are strings
   * unless the declared schema says otherwise. If {@link arguments} is `undefined`: the text as written,
   * possibly incomplete.
   */
  readonly argumentsText: string;
  /** The parsed arguments; `undefined` if the text ends within them or is not JSON. */
  readonly arguments: unknown;
  /** The id, if the syntax carries one. */
  readonly id?: string;
  /**
   * UTF-16 offsets in the given text, `end` exclusive. Calls of one wrapper divide its span among them,
   * tokens included; calls of a `multi_tool_use.parallel` share the span of the one call.
   */
  readonly start: number;
  readonly end: number;
  /**
   * `false`: the begin token has no end. Syntaxes without an end token, or whose end token ends the turn
   * (servers swallow it: harmony, Llama 3), are closed once their arguments are complete.
   */
  readonly isClosed: boolean;
  /**
   * `certain`: the family's special tokens; `declared`: other syntax, declared tool; `likely`: shape only.
   */
  readonly confidence: "certain" | "declared" | "likely";
}

/** A template token in text, a name or arguments, outside any call. */
export interface ControlToken {
  /** The token as written. */
  readonly token: string;
  /** The family of its template: `chatml`, `harmony`, `deepseek`… */
  readonly family: string;
  /** UTF-16 offsets in the given text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Facts of the request that distinguish a call from prose. */
export interface TextCallContext {
  /** The tools that the request offers; `parameters` is a JSON schema. */
  readonly tools?: readonly { readonly name: string; readonly parameters?: unknown }[];
  /** The system prompt. If given, calls in a syntax that it teaches are skipped. */
  readonly systemText?: string;
}

/** A parsed call, before the check against declared tools. */
export interface TextCallDraft extends Omit<TextCall, "confidence" | "id"> {
  readonly id?: string | undefined;
  /** The shape alone proves little: needs a declared name if the request declares any. */
  readonly isWeak: boolean;
  /** Only an end follows the name: needs a declared name. */
  readonly isNameOnly?: boolean;
}

/** A text during a search. */
export interface Page {
  readonly text: string;
  /**
   * The text with plain bars and underscores, same offsets: DeepSeek writes `｜` and `▁`; logs normalise them.
   */
  readonly plain: string;
  readonly declaresTools: boolean;
  isDeclared(tool: string): boolean;
  /** The schemas of a tool's parameters by name; empty if unknown. */
  parameters(tool: string): Readonly<Record<string, unknown>>;
  /**
   * The first match at or after `from` in {@link plain}. Caches the last answer per pattern, so lookups from
   * increasing positions cost one pass in total, with or without matches.
   */
  find(pattern: string | RegExp, from: number): { readonly start: number; readonly end: number } | undefined;
}

export function openPage(text: string, { tools = [] }: TextCallContext): Page {
  const plain = /[｜‖▁]/.test(text) ? text.replace(/[｜‖]/g, "|").replaceAll("▁", "_") : text;
  const schemas = new Map(tools.map(({ name, parameters }) => [name, parameters]));
  const answers = new Map<string | RegExp, { from: number; start: number; end: number }>();
  return {
    text,
    plain,
    declaresTools: schemas.size > 0,
    isDeclared: (tool) => schemas.has(tool),
    parameters: (tool) => fields(fields(schemas.get(tool))["properties"]),
    find(pattern, from) {
      let answer = answers.get(pattern);
      if (!answer || answer.from > from || answer.start < from) {
        const match = typeof pattern === "string" ? undefined : matchAt(pattern, plain, from);
        const index = typeof pattern === "string" ? plain.indexOf(pattern, from) : (match?.index ?? -1);
        const start = index < 0 ? Infinity : index;
        answer = { from, start, end: start + (match?.[0].length ?? pattern.toString().length) };
        answers.set(pattern, answer);
      }
      return answer.start === Infinity ? undefined : answer;
    },
  };
}

/** The match of a sticky pattern at exactly this offset, or of a global one from there on. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The offset after a sticky pattern's match here; the same offset without a match. */
export function behind(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}

/** The next offset that is not white space. */
export function afterSpace(text: string, at: number): number {
  return behind(/\s*/y, text, at);
}

/** Whether a tool may have this name. */
export function isToolName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u.test(name);
}
