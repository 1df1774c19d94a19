/** A tool call that a model wrote as text. */
export interface TextCall {
  /** The syntax, by its id in {@link marks}: `hermes`, `qwen3-coder`, `mistral-v11`… */
  readonly family: string;
  /** The tool's name as written. An affix such as `functions.` is left out where the syntax puts it there or only the rest is declared. */
  readonly name: string;
  /**
   * JSON text of the arguments, verbatim where they were written as JSON. XML syntaxes know no types: their values are
   * strings unless the declared schema says otherwise. When {@link arguments} is `undefined`, the text as written, as far as it goes.
   */
  readonly argumentsText: string;
  /** The arguments as a value; `undefined` when the text is cut within them or they are no JSON. */
  readonly arguments: unknown;
  /** The id that the syntax carries, if it carries one. */
  readonly id?: string;
  /**
   * UTF-16 offsets in the given text, `end` exclusive. Calls of one wrapper divide it among them, so that the spans
   * cover its tokens too; the calls of a `multi_tool_use.parallel` share the span of the one call that they were.
   */
  readonly start: number;
  readonly end: number;
  /**
   * `false`: a begin token without its end. Syntaxes without an end token, and those whose end token ends the turn (servers
   * swallow it: harmony, Llama 3), are closed when their arguments are whole.
   */
  readonly isClosed: boolean;
  /** `certain`: a family's own special tokens; `declared`: other syntax with the name of a declared tool; `likely`: the shape only. */
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
  /** The tools that the request offers; `parameters` is their JSON schema. */
  readonly tools?: readonly { readonly name: string; readonly parameters?: unknown }[];
  /** The system prompt. With it, calls in a syntax that it teaches are left out. */
  readonly systemText?: string;
}

/** The request's tools, as the readers ask for them. */
interface Tools {
  readonly areDeclared: boolean;
  isDeclared(name: string): boolean;
  /** The schemas of a tool's parameters by name, in declared order; `undefined` when the schema does not say. */
  parameters(name: string): Readonly<Record<string, unknown>> | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text being searched. */
export interface Page {
  readonly text: string;
  /** The text, offset for offset, with plain bars and underscores: DeepSeek writes `｜` and `▁`, and logs "clean" them. */
  readonly plain: string;
  readonly tools: Tools;
  /**
   * The first match at or after `from` in {@link plain}. Remembers the last answer for each pattern, so that asking from
   * ever later places costs one pass over the text in all, whether the pattern is there or not.
   */
  find(pattern: string | RegExp, from: number): Span | undefined;
}

/** A call as read, before the declared tools have their say. */
export interface Draft {
  readonly family: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly arguments: unknown;
  readonly id?: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly isClosed: boolean;
  /** The shape alone proves little: wants a declared name when the request declares any. */
  readonly isWeak?: boolean;
}

/** The calls that begin at a token, and where they end; `undefined` when the token begins none. */
export type Reading = { readonly calls: readonly Draft[]; readonly end: number } | undefined;

export function openPage(text: string, context: TextCallContext): Page {
  const plain = /[｜‖▁]/.test(text) ? text.replace(/[｜‖]/g, "|").replaceAll("▁", "_") : text;
  const schemas = new Map((context.tools ?? []).map(({ name, parameters }) => [name, parameters]));
  const answers = new Map<string | RegExp, { from: number; span: Span | undefined }>();
  return {
    text,
    plain,
    tools: {
      areDeclared: schemas.size > 0,
      isDeclared: (name) => schemas.has(name),
      parameters: (name) => member(schemas.get(name), "properties") as Record<string, unknown> | undefined,
    },
    find(pattern, from) {
      const last = answers.get(pattern);
      if (last && last.from <= from && (!last.span || last.span.start >= from)) return last.span;
      const span = search(plain, pattern, from);
      answers.set(pattern, { from, span });
      return span;
    },
  };
}

function search(text: string, pattern: string | RegExp, from: number): Span | undefined {
  if (typeof pattern === "string") {
    const start = text.indexOf(pattern, from);
    return start < 0 ? undefined : { start, end: start + pattern.length };
  }
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { start: match.index, end: pattern.lastIndex } : undefined;
}

/** What a sticky pattern matches at exactly this place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The first place at or after `at` that is no white space. */
export function afterSpace(text: string, at: number): number {
  return at + (matchAt(/\s*/y, text, at)?.[0].length ?? 0);
}

/** A member of what may be an object. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const found = (value as Record<string, unknown>)[key];
  return key === "properties" && (typeof found !== "object" || found === null) ? undefined : found;
}

/** Whether a tool can have this name. */
export function isToolName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u.test(name);
}
