import { fields } from "../../reading/values.ts";

/** A tool call that a model wrote as text. */
export interface TextCall {
  /** The syntax, by its id in the table of families: `hermes`, `qwen3-coder`, `mistral-v11`… */
  readonly family: string;
  /** The tool's name as written; without an affix such as `functions.` where the syntax adds it, or where only the rest is declared. */
  readonly name: string;
  /**
   * JSON text of the arguments, verbatim where they were written as JSON. XML syntaxes know no types: their values are strings
   * unless the declared schema says otherwise. When {@link arguments} is `undefined`, the text as written, as far as it goes.
   */
  readonly argumentsText: string;
  /** The arguments as a value; `undefined` when the text is cut within them or they are no JSON. */
  readonly arguments: unknown;
  /** The id that the syntax carries, if it carries one. */
  readonly id?: string;
  /**
   * UTF-16 offsets in the given text, `end` exclusive. Calls of one wrapper divide it among them, so that the spans cover its
   * tokens too; the calls of a `multi_tool_use.parallel` share the span of the one call that they were.
   */
  readonly start: number;
  readonly end: number;
  /**
   * `false`: a begin token without its end. Syntaxes without an end token, and those whose end token ends the turn (servers
   * swallow it: harmony, Llama 3), are closed when their arguments are whole.
   */
  readonly isClosed: boolean;
  /** `certain`: a family's own special tokens; `declared`: other syntax with the name of a declared tool; `likely`: shape only. */
  readonly confidence: "certain" | "declared" | "likely";
}

/** A template token standing in text, a name or arguments, without a call. */
export interface ControlToken {
  /** The token as it stands in the text. */
  readonly token: string;
  /** Whose template it belongs to: `chatml`, `harmony`, `deepseek`… */
  readonly family: string;
  /** UTF-16 offsets in the given text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** What the request says that helps to tell a call from prose. */
export interface TextCallContext {
  /** The tools that the request offers; `parameters` is a JSON schema. */
  readonly tools?: readonly { readonly name: string; readonly parameters?: unknown }[];
  /** The system prompt. With it, calls in a syntax that it teaches are left out. */
  readonly systemText?: string;
}

/** A call as read, before the declared tools have their say. */
export interface TextCallDraft extends Omit<TextCall, "confidence" | "id"> {
  readonly id?: string | undefined;
  /** The shape alone proves little: wants a declared name when the request declares any. */
  readonly isWeak: boolean;
  /** Nothing stands behind the name but an end: wants a declared name. */
  readonly isNameOnly?: boolean;
}

/** A text being searched. */
export interface Page {
  readonly text: string;
  /** The text, offset for offset, with plain bars and underscores: DeepSeek writes `｜` and `▁`, and logs "clean" them. */
  readonly plain: string;
  readonly declaresTools: boolean;
  isDeclared(tool: string): boolean;
  /** The schemas of a tool's parameters by name; empty when the schema does not say. */
  parameters(tool: string): Readonly<Record<string, unknown>>;
  /**
   * The first match at or after `from` in {@link plain}. Remembers the last answer for each pattern, so that asking from ever
   * later places costs one pass over the text in all, whether the pattern is there or not.
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

/** What a sticky pattern matches at exactly this place, or a global one from there on. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The place behind what a sticky pattern matches here; the same place when it does not match. */
export function behind(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}

/** The next place that is no white space. */
export function afterSpace(text: string, at: number): number {
  return behind(/\s*/y, text, at);
}

/** Whether a tool can have this name. */
export function isToolName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u.test(name);
}
