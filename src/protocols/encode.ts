import type { Block, Part, PlainRequest, PlainRound } from "./plain.ts";

/** A plain request as the body of a protocol, with the member that holds the history. */
export interface Encoded {
  readonly body: Readonly<Record<string, unknown>>;
  readonly historyKey: string;
  /** What this protocol cannot carry, a sentence each. */
  readonly lost: readonly string[];
}

type Encoder = (plain: PlainRequest, model: string | undefined, isStreaming: boolean) => Encoded;

/** By protocol: how a plain request is written, as each provider's documents show it. */
export const encoders: Readonly<Record<string, Encoder>> = {
  "openai-chat": encodeChat,
  "openai-responses": encodeResponses,
  anthropic: encodeAnthropic,
  gemini: encodeGemini,
  ollama: encodeOllama,
};

function encodeChat(plain: PlainRequest, model: string | undefined, isStreaming: boolean): Encoded {
  const messages = plain.blocks.flatMap((block): unknown[] => {
    if (block.role === "user") return [{ role: "user", content: chatContent(block.parts) }];
    const calls = block.rounds.map(({ id, name, arguments: args }) => ({
      id: id.slice(0, 40),
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    return [
      { role: "assistant", content: textOf(block) || null, ...(calls.length > 0 && { tool_calls: calls }) },
      ...answered(block).map(({ id, result }) => ({
        role: "tool",
        tool_call_id: id.slice(0, 40),
        content: result.text,
      })),
    ];
  });
  const body = {
    model,
    messages:
      plain.system === undefined ? messages : [{ role: "system", content: plain.system }, ...messages],
    tools: plain.tools?.map((tool) => ({ type: "function", function: { ...tool } })),
    tool_choice: openAiChoice(plain, (name) => ({ type: "function", function: { name } })),
    max_completion_tokens: plain.maxTokens,
    temperature: plain.temperature,
    stream: isStreaming ? true : undefined,
  };
  return { body: withoutUndefined(body), historyKey: "messages", lost: [] };
}

function chatContent(parts: readonly Part[]): unknown {
  const [only] = parts;
  if (parts.length === 1 && only && "text" in only) return only.text;
  return parts.map((part) =>
    "text" in part
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: urlOf(part) } },
  );
}

function encodeResponses(plain: PlainRequest, model: string | undefined, isStreaming: boolean): Encoded {
  const input = plain.blocks.flatMap((block): unknown[] => {
    if (block.role === "user") {
      return [
        {
          role: "user",
          content: block.parts.map((part) =>
            "text" in part
              ? { type: "input_text", text: part.text }
              : { type: "input_image", image_url: urlOf(part) },
          ),
        },
      ];
    }
    const text = textOf(block);
    return [
      ...(text === "" ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }]),
      ...block.rounds.map(({ id, name, arguments: args }) => ({
        type: "function_call",
        call_id: id.slice(0, 64),
        name,
        arguments: JSON.stringify(args),
      })),
      ...answered(block).map(({ id, result }) => ({
        type: "function_call_output",
        call_id: id.slice(0, 64),
        output: result.text,
      })),
    ];
  });
  const body = {
    model,
    instructions: plain.system,
    input,
    tools: plain.tools?.map((tool) => ({ type: "function", ...tool, strict: false })),
    tool_choice: openAiChoice(plain, (name) => ({ type: "function", name })),
    max_output_tokens: plain.maxTokens,
    temperature: plain.temperature,
    store: false,
    stream: isStreaming ? true : undefined,
  };
  return { body: withoutUndefined(body), historyKey: "input", lost: [] };
}

function openAiChoice({ toolChoice }: PlainRequest, named: (name: string) => unknown): unknown {
  if (!toolChoice) return undefined;
  return toolChoice.mode === "tool" ? named(toolChoice.name ?? "") : toolChoice.mode;
}

/** The most that a reply may have where the request says nothing: the Messages API wants a number. */
const defaultMaxTokens = 4096;

function encodeAnthropic(plain: PlainRequest, model: string | undefined, isStreaming: boolean): Encoded {
  const messages = plain.blocks.flatMap((block): unknown[] => {
    if (block.role === "user") return [{ role: "user", content: anthropicContent(block.parts) }];
    const results = answered(block).map(({ id, result }) => ({
      type: "tool_result",
      tool_use_id: anthropicId(id),
      content: result.text,
      ...(result.isError && { is_error: true }),
    }));
    return [
      {
        role: "assistant",
        content: [
          ...anthropicContent(block.parts),
          ...block.rounds.map(({ id, name, arguments: args }) => ({
            type: "tool_use",
            id: anthropicId(id),
            name,
            input: args,
          })),
        ],
      },
      ...(results.length > 0 ? [{ role: "user", content: results }] : []),
    ];
  });
  const choice = plain.toolChoice;
  const body = {
    model,
    max_tokens: plain.maxTokens ?? defaultMaxTokens,
    system: plain.system,
    messages,
    tools: plain.tools?.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    tool_choice: choice && {
      type: choice.mode === "required" ? "any" : choice.mode,
      ...(choice.mode === "tool" && { name: choice.name }),
    },
    temperature: plain.temperature === undefined ? undefined : Math.min(1, plain.temperature),
    stream: isStreaming ? true : undefined,
  };
  return { body: withoutUndefined(body), historyKey: "messages", lost: [] };
}

function anthropicContent(parts: readonly Part[]): unknown[] {
  return parts
    .filter((part) => !("text" in part) || part.text.trim() !== "")
    .map((part) => {
      if ("text" in part) return { type: "text", text: part.text };
      const { data, mediaType, url } = part.image;
      return {
        type: "image",
        source: data === undefined ? { type: "url", url } : { type: "base64", media_type: mediaType, data },
      };
    });
}

/** `^[a-zA-Z0-9_-]+$`: ids of others hold colons and dots. */
function anthropicId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_") || "_";
}

/** What Gemini 3 takes in place of the signature of a call that it did not make. */
const noSignature = "skip_thought_signature_validator";

function encodeGemini(plain: PlainRequest): Encoded {
  let linked = 0;
  const partOf = (part: Part): unknown => {
    if ("text" in part) return { text: part.text };
    const { data, mediaType, url } = part.image;
    if (data !== undefined) return { inlineData: { mimeType: mediaType, data } };
    linked++;
    return { text: `[image: ${url}]` };
  };
  const contents = plain.blocks.flatMap((block): unknown[] => {
    if (block.role === "user") return [{ role: "user", parts: block.parts.map(partOf) }];
    const results = answered(block).map(({ name, result }) => ({
      functionResponse: { name, response: { [result.isError ? "error" : "output"]: result.text } },
    }));
    return [
      {
        role: "model",
        parts: [
          ...block.parts.map(partOf),
          ...block.rounds.map(({ name, arguments: args }, index) => ({
            functionCall: { name, args },
            ...(index === 0 && { thoughtSignature: noSignature }),
          })),
        ],
      },
      ...(results.length > 0 ? [{ role: "user", parts: results }] : []),
    ];
  });
  const choice = plain.toolChoice;
  const modes = { auto: "AUTO", none: "NONE", required: "ANY", tool: "ANY" } as const;
  const config = withoutUndefined({ maxOutputTokens: plain.maxTokens, temperature: plain.temperature });
  const body = {
    systemInstruction: plain.system === undefined ? undefined : { parts: [{ text: plain.system }] },
    contents,
    tools: plain.tools?.length
      ? [
          {
            functionDeclarations: plain.tools.map(({ name, description, parameters }) =>
              withoutUndefined({ name, description, parametersJsonSchema: parameters }),
            ),
          },
        ]
      : undefined,
    toolConfig: choice && {
      functionCallingConfig: {
        mode: modes[choice.mode],
        ...(choice.mode === "tool" && { allowedFunctionNames: [choice.name] }),
      },
    },
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  };
  return {
    body: withoutUndefined(body),
    historyKey: "contents",
    lost: linked > 0 ? ["images that are only linked: Gemini wants their bytes"] : [],
  };
}

function encodeOllama(plain: PlainRequest, model: string | undefined, isStreaming: boolean): Encoded {
  let linked = 0;
  const images = (parts: readonly Part[]) =>
    parts.flatMap((part) => {
      if ("text" in part) return [];
      if (part.image.data !== undefined) return [part.image.data];
      linked++;
      return [];
    });
  const messages = plain.blocks.flatMap((block): unknown[] => {
    const shown = images(block.parts);
    const said = { content: textOf(block), ...(shown.length > 0 && { images: shown }) };
    if (block.role === "user") return [{ role: "user", ...said }];
    const calls = block.rounds.map(({ name, arguments: args }) => ({ function: { name, arguments: args } }));
    return [
      { role: "assistant", ...said, ...(calls.length > 0 && { tool_calls: calls }) },
      ...answered(block).map(({ name, result }) => ({ role: "tool", tool_name: name, content: result.text })),
    ];
  });
  const options = withoutUndefined({ num_predict: plain.maxTokens, temperature: plain.temperature });
  const body = {
    model,
    messages:
      plain.system === undefined ? messages : [{ role: "system", content: plain.system }, ...messages],
    tools: plain.tools?.map((tool) => ({ type: "function", function: { ...tool } })),
    options: Object.keys(options).length > 0 ? options : undefined,
    stream: isStreaming,
  };
  const isForced = plain.toolChoice?.mode === "required" || plain.toolChoice?.mode === "tool";
  const lost = [
    ...(linked > 0 ? ["images that are only linked: Ollama wants their bytes"] : []),
    ...(isForced ? ["the forced choice of a tool: Ollama has none"] : []),
  ];
  return { body: withoutUndefined(body), historyKey: "messages", lost };
}

function textOf({ parts }: Block): string {
  return parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
}

type Answered = PlainRound & { readonly result: NonNullable<PlainRound["result"]> };

function answered({ rounds }: Extract<Block, { role: "assistant" }>): Answered[] {
  return rounds.filter((round): round is Answered => round.result !== undefined);
}

function urlOf({ image }: Extract<Part, { image: unknown }>): string {
  return image.data === undefined ? (image.url ?? "") : `data:${image.mediaType};base64,${image.data}`;
}

function withoutUndefined(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
