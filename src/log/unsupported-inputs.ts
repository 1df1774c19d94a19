import { binaryKind } from "../containers/files/binaries.ts";
import { isNewerRecording } from "../containers/files/recording.ts";
import { describeReactRun } from "../containers/files/text/react-runs.ts";
import { isOwnReport } from "../containers/files/text/text-data.ts";
import { requestErrorTypes } from "../protocols/request-errors.ts";
import { findTextCalls } from "../protocols/text-calls/index.ts";
import { parseJson } from "../reading/parse.ts";
import type { ByteSource } from "../reading/source.ts";
import { isFields } from "../reading/values.ts";
import { unopenedAt } from "./headless-bodies.ts";
import { headSize } from "./log-file.ts";
import { type ErrorMeaning, loneError, loneErrorSentence, refusalsAlone } from "./lone-errors.ts";

/** Inputs without the data that checks need; `toollint formats` lists them (see {@link unreadSentence}). */
export const unsupportedInputs: readonly {
  readonly name: string;
  readonly summary: string;
  readonly instead: string;
}[] = [
  {
    name: "node-debug",
    summary: "OPENAI_LOG=debug and ANTHROPIC_LOG=debug of the SDKs for Node: [Array] instead of the messages",
    instead: "toollint record",
  },
  {
    name: "python-debug",
    summary: "debug logs of recent openai and anthropic packages for Python: no bodies",
    instead: "toollint record",
  },
  {
    name: "realtime",
    summary: "OpenAI Realtime and Gemini Live sessions: the server keeps the history",
    instead: "traffic of Responses or Chat Completions",
  },
  {
    name: "assistants",
    summary: "the Assistants API: the server keeps the history",
    instead: "the thread's messages as JSON",
  },
  {
    name: "empty-spans",
    summary: "spans of calls to a model without captured content",
    instead: "the tracer's switch for content",
  },
  { name: "aider", summary: "histories of aider, which makes no tool calls", instead: "nothing to check" },
  {
    name: "cline-ui",
    summary: "ui_messages.json of Cline and Roo: what was shown",
    instead: "api_conversation_history.json next to it",
  },
  {
    name: "litellm-spend",
    summary: "LiteLLM's spend logs without prompts",
    instead: "store_prompts_in_spend_logs: true",
  },
  {
    name: "bedrock-s3",
    summary: "Bedrock's invocation log with bodies on S3",
    instead: "the files that it names",
  },
  {
    name: "hooks",
    summary: "what the hooks of Claude Code, Copilot, Gemini CLI or Cursor were given: tools, and no replies",
    instead: "the session",
  },
  { name: "crewai", summary: "CrewAI's task log", instead: "toollint record" },
  {
    name: "inspect-head",
    summary: "the head of an Inspect log without its samples",
    instead: "the .eval file",
  },
  {
    name: "react",
    summary: "printed runs of ReAct agents (Thought, Action, Observation), whose calls are text",
    instead: "toollint record",
  },
  {
    name: "markdown",
    summary: "conversations that SpecStory, Cursor, opencode or cctrace exported as Markdown or XML",
    instead: "the original session",
  },
  {
    name: "documentation",
    summary: "documents in Markdown, reStructuredText, AsciiDoc or Vim's help format with code and examples",
    instead: "an example in its own file",
  },
  {
    name: "packed-source",
    summary: "repositories that Repomix, Gitingest or code2prompt packed into one file",
    instead: "a log or fixture in its own file",
  },
  {
    name: "snapshots",
    summary: "snapshot files of Jest, Vitest and Bun, which hold what a test expects",
    instead: "the recording or fixture that the test reads",
  },
  {
    name: "api-description",
    summary: "OpenAPI, Swagger, AsyncAPI and JSON Schema, whose examples look like requests",
    instead: "toollint record",
  },
  {
    name: "benchmarks",
    summary: "questions or results of benchmarks without messages (BFCL, ToolBench)",
    instead: "the run's messages",
  },
];

/** How the user asked to read a file. */
export interface UnreadInput {
  /** The command with a container to fill in: `toollint check --container NAME run.log`. */
  readonly retry: string;
  readonly container?: { readonly name: string } | undefined;
  readonly protocol?: { readonly name: string } | undefined;
  /** Where a config file names the container or protocol; absent for command-line options. */
  readonly places?: { readonly container?: string; readonly protocol?: string } | undefined;
  /** What an error text means; `undefined` for an unknown one. */
  readonly meaningOf: (text: string) => ErrorMeaning | undefined;
}

/** Longer texts are logs, and may quote a refusal or a call. */
const maxQuoted = 4000;

/** Why a file has nothing readable, and what to do next, in one sentence. */
export function unreadSentence(source: ByteSource, asked: UnreadInput, advice?: string): string {
  const name = source.name === "-" ? "standard input" : source.name;
  const head = source.read(0, Math.min(source.size, headSize));
  if (advice !== undefined) return keptByServer(name, head.toString("utf8")) ?? `${name} is ${advice}`;
  if (source.size === 0) return `${name} is empty: there is nothing to check`;
  const kind = binaryKind(head);
  if (kind) return `${name} is not a log but ${kind.what}${kind.advice && `: ${kind.advice}`}`;
  if (head.includes(0))
    return `${name} is a binary file of a kind that toollint does not read; \`toollint formats\` lists what it reads`;
  const text = head.toString("utf8");
  if (text.trim() === "") return `${name} has only blank lines: there is nothing to check`;
  return (
    knownUnreadable(name, text, asked) ??
    refusalsAlone(name, text, asked.meaningOf) ??
    (traceback.signs.test(text) ? `${name} is ${traceback.what}\n${traceback.instead}` : undefined) ??
    (beginsWithHeading.test(text) ? `${name} is ${document.what}\n${document.instead}` : undefined) ??
    headless(name, text) ??
    nothingUnderstood(name, asked)
  );
}

/** The end of a body whose beginning is missing. */
function headless(name: string, text: string): string | undefined {
  const line = unopenedAt(text);
  return line === undefined
    ? undefined
    : `${name} begins in the middle of a body: a bracket in line ${line} closes what nothing opens
Save the body from its first \`{\`, or the log from the line in which the body begins.`;
}

/** How to get a log with the needed data. */
const keepIt =
  "Record the traffic itself: `toollint record -o run.jsonl -- your-command`; the README lists other ways under “Where do I get such a log?”.";

/** Common logs that lack the needed data. */
function knownUnreadable(name: string, text: string, asked: UnreadInput): string | undefined {
  if (isNewerRecording(text)) {
    return `${name} was recorded by a newer version of toollint than this one (${__VERSION__}): upgrade toollint to read it`;
  }
  if (/^\[log_[0-9a-f]{6}\] /m.test(text) && /\[(?:Array|Object)\]/.test(text)) {
    return `${name} is a debug log of an SDK for Node, which prints \`[Array]\` instead of the messages: it does not contain what was sent
${keepIt}`;
  }
  const print = hollowPrints.find(({ signs }) => signs.test(text));
  if (print)
    return `${name} was printed with ${print.how} for nested values: it does not contain them
${print.instead}
${keepIt}`;
  const python = /\b(openai|anthropic)\._base_client\b/.exec(text);
  if (python) {
    return `${name} is a debug log of the ${python[1]} package for Python, and contains no request: recent versions of the package do not print bodies, older ones print them as Python literals
${keepIt}`;
  }
  const tables = /^\{"sqlite":\{"tables":(\{.*\})\}\}$/m.exec(text)?.[1];
  if (tables !== undefined) {
    const names = Object.keys((parseJson(tables) ?? {}) as object);
    const some = names.slice(0, 6).join(", ") + (names.length > 6 ? ", …" : "");
    return `${name} is an SQLite database, without a recognised conversation in its tables${some && ` (${some})`}
toollint reads rows with requests and replies as JSON, one message per row, and the databases of opencode, Crush, goose, Cursor and LangGraph. Otherwise export the conversations as JSON lines.`;
  }
  if (isOwnReport(text)) {
    return `${name} is a toollint report, not a log: check the log that it names`;
  }
  if (/^\s*# aider chat started at /.test(text)) {
    return `${name} is a chat history of aider: aider makes no tool calls, so there is nothing to check`;
  }
  const kept = keptByServer(name, text);
  if (kept !== undefined) return kept;
  if (
    /"eval"\s*:\s*\{/.test(text) &&
    /"plan"\s*:/.test(text) &&
    /"(?:eval_id|run_id|task_id)"\s*:/.test(text)
  ) {
    return `${name} is the header of an Inspect log without its samples, which contain the requests
Check the \`.eval\` file itself, or export it with the samples: \`inspect log dump run.eval > run.json\`.`;
  }
  const run = describeReactRun(text);
  if (run !== undefined) return `${name} is the printed run of a ReAct agent\n${run}\n${keepIt}`;
  const calls = loneCalls(text);
  if (calls !== undefined)
    return `${name} is ${calls}, without a message around it
Check the reply or the request that it stands in. If a model wrote it as its text, nothing runs it: \`toollint explain text-tool-call\`.`;
  const other = others.find(
    ({ signs, isShort }) => (!isShort || text.length <= maxQuoted) && signs.test(text),
  );
  if (other) {
    if (other.isError) return loneErrorSentence(name, text, asked.meaningOf);
    return `${name} is ${other.what}
${other.instead}`;
  }
  const quoted = quotedCall(text);
  if (quoted !== undefined)
    return `${name} is a text with a tool call (\`${quoted}\`) in it, without a message around it
Check the reply or the request that it stands in. If a model wrote it as its text, nothing runs it: \`toollint explain text-tool-call\`.`;
  if (spans.test(text)) {
    return `${name} contains spans of model calls without their messages: the tracer did not capture the content
Enable it and run again: ${captures}.`;
  }
  return undefined;
}

/** A member of a message, a reply or a call whose value counts. */
const ofMessage = "(?:messages?|contents?|input|choices|candidates|parts|output|tool_?calls|arguments)";

/** Prints of objects that stop above what they hold: how they are made, and how to print all. */
const hollowPrints: readonly { readonly signs: RegExp; readonly how: string; readonly instead: string }[] = [
  {
    signs: /\b(?:messages|contents|input|choices|content|parts|output): \[\s*(?:Array\]|\[Object\])/,
    how: "`console.log`, which writes `[Object]` or `[Array]`",
    instead:
      "Print them in full with `console.log(JSON.stringify(body))` or `console.dir(body, { depth: null })`; toollint reads both.",
  },
  {
    // @see https://learn.microsoft.com/en-us/dotnet/api/system.object.tostring
    signs: new RegExp(`\\b${ofMessage}\\b"?\\s?[=:]\\s?"?System\\.(?:Collections\\.|String\\[\\])`, "i"),
    how: "`ToString()` of .NET, which writes the name of a type",
    instead: "Print them in full with `JsonSerializer.Serialize(body)`.",
  },
  {
    // @see https://pkg.go.dev/fmt#hdr-Printing
    signs: new RegExp(
      `\\b${ofMessage}:(?:\\[\\]\\*?[\\w.]+\\{)?(?:\\[(?:0xc[\\da-f]{7,11} ?)+\\]|\\(?\\*?[\\w.]*\\)?\\(?0xc[\\da-f]{7,11})`,
      "i",
    ),
    how: "`%v` or `%+v` of Go, which writes an address",
    instead: "Print them in full with `json.Marshal(body)`.",
  },
  {
    // @see https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Object.html#toString()
    signs: new RegExp(`\\b${ofMessage}=\\[?(?:\\[L)?[a-z][\\w.]*\\.[A-Z][\\w$.]*;?@[\\da-f]{5,8}\\b`, "i"),
    how: "`toString()` of Java, which writes a class and a hash",
    instead: "Print them in full with `objectMapper.writeValueAsString(body)`.",
  },
  {
    // @see https://docs.python.org/3/reference/datamodel.html#object.__repr__
    signs: new RegExp(`\\b${ofMessage}['"]?\\s?[=:]\\s?\\[?<[\\w.]{1,120} object at 0x[\\da-f]{6,16}>`, "i"),
    how: "`repr()` of Python, which writes a class and an address",
    instead: "Print them in full with `json.dumps(body)`, or with `model_dump_json()` of a message.",
  },
];

function keptByServer(name: string, text: string): string | undefined {
  const known = serverSide.find(({ signs }) => signs.test(text));
  return (
    known &&
    `${name} is ${known.what}: the server keeps the history, and no request contains it, so there is nothing to check
${known.instead}`
  );
}

/** The calls that a file consists of: objects with a name and arguments, alone or in a list. */
function loneCalls(text: string): string | undefined {
  if (text.length > maxQuoted) return undefined;
  const value = parseJson(text);
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const names = all.flatMap((each) => {
    const { name, id: _id, type: _type, ...rest } = isFields(each) ? each : {};
    const [key, ...more] = Object.keys(rest);
    const isCall = more.length === 0 && /^(?:arguments|args|input|parameters|tool_input)$/.test(key ?? "");
    const isSchema = isCall && key === "parameters" && "properties" in Object(rest[key]);
    return typeof name === "string" && isCall && !isSchema ? [name] : [];
  });
  if (names.length === 0 || names.length < all.length) return undefined;
  return names.length === 1 ? `a tool call (\`${names[0]}\`)` : `a list of ${names.length} tool calls`;
}

/** A block of code, code in a line, a string of JSON or of Python, a line. */
const quotations =
  /```\w{0,20}\n([^`]{8,3000})```|`([^`\n]{8,2000})`|("(?:[^"\\\n]|\\.){8,2000}")|(?<=[:,([{] ?)'((?:[^'\\\n]|\\.){8,2000})'|^([{[<].{8,2000})$/gm;

/** The first tool that a short text calls in a quotation. */
function quotedCall(text: string): string | undefined {
  if (text.length > maxQuoted) return undefined;
  for (const [, block, code, string, printed, line] of text.matchAll(quotations)) {
    const said = code ?? printed?.replaceAll(/\\(['"\\])/g, "$1") ?? parseJson(string ?? "");
    const call = callIn(said);
    if (call !== undefined) return call;
    // What stands in a block or a line may be a message with the call in one of its strings.
    for (const outer of [block, line]) {
      const inner = callIn(outer) ?? (outer === undefined ? undefined : quotedCall(` ${outer}`));
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}

function callIn(said: unknown): string | undefined {
  const calls = typeof said === "string" ? findTextCalls(said.trim()) : [];
  // `reset()` in a sentence names a function of a program.
  return calls.find(({ family, argumentsText }) => family !== "pythonic" || argumentsText !== "{}")?.name;
}

/** APIs whose requests contain only what is new. */
const serverSide: readonly { readonly signs: RegExp; readonly what: string; readonly instead: string }[] = [
  {
    signs:
      /"?type"?\s*:\s*"?(?:session\.(?:created|updated)|conversation\.item\.(?:create|created|added)|input_audio_buffer\.\w+)\b|"(?:setupComplete|realtimeInput|serverContent)"\s*:/,
    what: "a log of a Realtime or Live session",
    instead:
      "If the same agent also speaks the Responses or the Chat Completions API, check the log of that traffic.",
  },
  {
    signs: /"object"\s*:\s*"thread(?:\.(?:run|message)(?:\.\w+)*)?"|\/threads\/thread_\w+\/(?:runs|messages)/,
    what: "traffic of the Assistants API",
    instead:
      "Move the agent to the Responses API and check its traffic, or check the thread's messages, exported as JSON.",
  },
];

/** Files that lie next to logs or have similar names, and what to use instead. */
const others: readonly {
  readonly signs: RegExp;
  /** A longer file is something else that has such words. */
  readonly isShort?: boolean;
  /** It is an error message, whose meaning says what to do. */
  readonly isError?: boolean;
  readonly what: string;
  readonly instead: string;
}[] = [
  {
    signs: /^\s*TO LLM \d{4}-\d\d-\d\dT/,
    what: "aider's conversation with the model: aider makes no tool calls, so there is nothing to check",
    instead:
      "For an agent that makes tool calls, record its traffic: `toollint record -o run.jsonl -- your-command`.",
  },
  {
    signs: /"call_type"\s*:[\s\S]{0,4000}?"(?:messages|response)"\s*:\s*(?:"\{\}"|\{\s*\})/,
    what: "LiteLLM's spend log, which by default contains no prompts and no replies",
    instead: `Set \`store_prompts_in_spend_logs: true\` under \`general_settings\` and run again. ${keepIt}`,
  },
  {
    signs: /"schemaType"\s*:\s*"ModelInvocationLog"[\s\S]{0,4000}?"(?:in|out)putBodyS3Path"/,
    what: "a Bedrock invocation log whose longer bodies are on S3",
    instead: "Download the files named by `inputBodyS3Path` and `outputBodyS3Path`, and check them.",
  },
  {
    signs:
      /task_name"?\s*[:=](?=[\s\S]{0,4000}?"?agent"?\s*[:=])[\s\S]{0,4000}?"?status"?\s*[:=]\s*"(?:started|completed)"/,
    what: "CrewAI's task log: it lists which agents started and finished, but no messages or calls",
    instead: keepIt,
  },
  {
    signs:
      /"hook_event_name"\s*:\s*"\w{3,40}"|"(?:sessionId|cwd)"\s*:[^\n]{0,400}"toolName"\s*:[^\n]{0,200}"toolArgs"\s*:/,
    what: "a list of what an agent's hooks were given: it has the tools that ran, but nothing that the model was sent or said",
    instead:
      "Check the session itself: `transcript_path` names its file, Claude Code keeps it under `~/.claude/projects`, Copilot under `~/.copilot/session-state`.",
  },
  {
    signs: /^\s*\{\s*"win"\s*:\s*(?:true|false)\s*,[\s\S]{0,400}?"tree"\s*:\s*\{/,
    what: "a ToolBench tree of attempts without its messages: it does not contain the prompts",
    instead: "toollint reads answers with `train_messages` and conversations of its training data.",
  },
  {
    signs: /^\s*(?:\[\s*)?\{[^{}]*"query"\s*:\s*"(?:[^"\\]|\\.){0,4000}"\s*,[^{}]*"(?:answers|tools)"\s*:/,
    what: "a list of questions with the expected calls: nothing was sent, so there is nothing to check",
    instead: "Check a model's run on them: its requests and replies, or its messages.",
  },
  {
    signs:
      /^\s*(?:\[\s*)?\{[^{}]*"result"\s*:\s*\[[^{}]*\{\s*"[^"]+"\s*:\s*"\{[\s\S]{0,4000}?"input_token_count"/,
    what: "a list of results of the Berkeley Function Calling Leaderboard: it contains only the calls of each turn",
    instead: "Run it with `--include-input-log`, which also records the messages.",
  },
  {
    signs: /"chat"\s*:\s*"(?:SYSTEM|USER): [\s\S]{0,4000}?(?:ASSISTANT|FUNCTION RESPONSE): /,
    what: "a list of conversations stored as one text each, without separate messages",
    instead: "Convert it to `messages`, one conversation per line.",
  },
  {
    signs: /\bReceived request [\w.-]{1,80}: prompt: (?:'|"|None)[\s\S]{0,200000}?\bSamplingParams\(/,
    what: "vLLM's log of prompts: each request is in it as the one text that the chat template made, without messages and calls",
    instead: keepIt,
  },
  {
    signs: /"created_at"\s*:\s*"[^"\n]{1,60}"\s*,\s*"response"\s*:\s*"|"object"\s*:\s*"text_completion"/,
    what: "traffic of an API that completes a prompt (`/api/generate`, `/v1/completions`): it has no messages, and calls are text there",
    instead: "Send messages and tools to the chat API (`/api/chat`, `/v1/chat/completions`), and check that.",
  },
  {
    signs: /^\s*\{\s*"object"\s*:\s*"list"\s*,\s*"data"\s*:\s*\[[\s\S]{0,200000}?"call_id"/,
    what: "a page of the items that a server keeps, with the newest first",
    instead: "List them in their order (`order=asc`), and check that page.",
  },
  {
    signs: /^\s*\{\s*"type"\s*:\s*"result"\s*,\s*"subtype"\s*:[^\n]*"session_id"\s*:[^\n]*\}\s*$/,
    what: "the result of a run of Claude Code, without the messages that led to it",
    instead:
      "Run it with `--output-format stream-json --verbose`, or check its session under `~/.claude/projects`.",
  },
  {
    signs: /"fixtures"\s*:\s*\[\s*\{[\s\S]{0,2000}?"match"\s*:\s*\{[\s\S]{0,4000}?"response"\s*:/,
    what: "a list of a mock server's answers (aimock), without the requests that they answer",
    instead: keepIt,
  },
  {
    signs: /"steps"\s*:\s*\[\s*\{[\s\S]{0,20000}?"request_hint"\s*:\s*\{[\s\S]{0,4000}?"response"\s*:/,
    what: "a trace for a test's model (IronClaw): its replies, without the requests that they answer",
    instead: keepIt,
  },
  {
    signs: /\bError code: 4\d\d\b/,
    isError: true,
    ...loneError,
  },
  {
    signs: /^\s*> (?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+\S* [\w:-]+(?: .*)?\n> /,
    what: "the output of an npm script, without a request or reply",
    instead: keepIt,
  },
  {
    signs:
      /^(?:(?:[^\n{[]*\n){0,40})?\/(?:model|exit|quit|clear|help|tools|effort|compact|agent|mcp|context|save|chat)\b[^\n]*\n/,
    what: "a history of typed commands and prompts, without the answers",
    instead:
      "The session itself is elsewhere: Kiro stores it in the `.jsonl` next to its `.history`, Codex under `~/.codex/sessions`, Claude Code under `~/.claude/projects`.",
  },
  {
    signs: new RegExp(`\\b(?:${[...requestErrorTypes].join("|")})\\b`),
    isShort: true,
    isError: true,
    ...loneError,
  },
];

/** A heading begins the file. A comment above the first key of YAML, the first record or code is none. */
const beginsWithHeading =
  /^\s*#{1,3} \S[^\n]*\n(?!(?:[^\S\n]*(?:#[^\n]*)?\n)*(?:---|- |\{|[a-z_$"'][\w.$"'-]*:(?:\s|$)|[A-Za-z_][\w.]{0,80}(?:\(| = )|(?:import|from|curl) ))/;

/** A program's end for a reason of its own. */
const traceback = {
  signs: /^\s*Traceback \(most recent call last\):[^\S\n]*\n\s+File "/,
  what: "the traceback of a Python program that failed before it logged anything: it contains no request and no reply",
  instead: `Fix the error in its last line, and run it again. ${keepIt}`,
};

/** A document that shows a conversation, or tells of one. */
const document = {
  what: "a Markdown document: even if it shows a conversation, its calls and results are no longer data",
  instead: `Check the log or session that it was made from (Antigravity stores its own in \`.system_generated/logs/transcript.jsonl\`), or save a request that it quotes in a file of its own. ${keepIt}`,
};

/** Attributes of model-call spans, whoever writes them. */
const spans =
  /"(?:gen_ai\.(?:operation\.name|request\.model|system|provider\.name|tool\.name)|openinference\.span\.kind|traceloop\.span\.kind|llm\.model_name|ai\.operationId|ai\.model\.id)"/;

const captures = [
  "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true` for OpenTelemetry",
  "`TRACELOOP_TRACE_CONTENT=true` for OpenLLMetry",
  "`recordInputs` and `recordOutputs` in `experimental_telemetry` for the AI SDK",
].join(", ");

function nothingUnderstood(name: string, asked: UnreadInput): string {
  const { retry, places } = asked;
  const named = (["container", "protocol"] as const).flatMap((what) => {
    const chosen = asked[what]?.name;
    const place = places?.[what];
    const drop =
      place === undefined ? `remove \`--${what}\`` : `remove \`${what}\` from the config (${place})`;
    return chosen === undefined ? [] : [{ how: `as ${what} ${chosen}`, drop }];
  });
  if (named.length > 0)
    return `${name}: toollint found no conversation in it ${named.map(({ how }) => how).join(", ")}
To let toollint recognise the format, ${named.map(({ drop }) => drop).join(", and ")}; \`toollint formats\` lists what can be read.`;
  return `${name}: no conversation was found in it; toollint expects requests to a language model and its replies, as JSON or as server-sent events
\`toollint formats\` lists what can be read; if you know the format, name it: \`${retry}\`
If your program does not log them, \`toollint record -o run.jsonl -- your-command\` does.`;
}
