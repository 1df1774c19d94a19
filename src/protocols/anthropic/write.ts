import { answered, type Part } from "../portable-request.ts";
import type { Answers, ClientIdiom, Encode, HistoryWriter, Writing } from "../protocol.ts";
import { asText, defined } from "../wire.ts";

/** @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls */
export const idiom: ClientIdiom = {
  append: 'messages.push({ role: "assistant", content: reply.content }, { role: "user", content: results })',
  result: '{ type: "tool_result", tool_use_id: call.id, content }',
};

function toolResult(id: string | undefined, content: string, isError: boolean | undefined) {
  return { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
}

/** All results of a reply go into one message, before any text. */
export const answers: Answers = (results) => [
  { role: "user", content: results.map(({ call, text, isError }) => toolResult(call.id, text, isError)) },
];

export const writes: HistoryWriter = {
  result: ({ id }, text) => partOfUser(toolResult(id, text, true)),
  text: (text) => partOfUser({ type: "text", text }),
  content: asText,
};

function partOfUser(value: object): Writing {
  return { element: { role: "user", content: [value] }, part: { list: "/content", value } };
}

/** The output limit if the request states none: the Messages API requires one. */
const defaultMaxTokens = 4096;

export const encode: Encode = (plain, model, isStreaming) => {
  const messages = plain.blocks.flatMap((block): unknown[] => {
    if (block.role === "user") return [{ role: "user", content: anthropicContent(block.parts) }];
    const results = answered(block).map(({ id, result }) =>
      toolResult(anthropicId(id), result.text, result.isError),
    );
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
  return { body: defined(body), lost: [] };
};

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

/** `^[a-zA-Z0-9_-]+$`: ids of other APIs contain colons and dots. */
function anthropicId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_") || "_";
}
