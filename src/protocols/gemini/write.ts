import { parseJson } from "../../reading/parse.ts";
import { answered, type Part } from "../portable-request.ts";
import type { Answers, ClientIdiom, Encode, HistoryWriter, Writing } from "../protocol.ts";
import { defined, isFields } from "../wire.ts";

/** @see https://ai.google.dev/gemini-api/docs/function-calling */
export const idiom: ClientIdiom = {
  append: 'contents.push(candidate.content, { role: "user", parts: results })',
  result: "{ functionResponse: { id: call.id, name: call.name, response } }",
};

/** Sends a JSON object as an object, other text under one member. */
function functionResponse(id: string | undefined, name: string, text: string, isError: boolean | undefined) {
  const value = parseJson(text);
  const response = isFields(value) ? value : { [isError ? "error" : "output"]: text };
  return { functionResponse: { ...(id !== undefined && { id }), name, response } };
}

export const answers: Answers = (results) => [
  {
    role: "user",
    parts: results.map(({ call, text, isError }) => functionResponse(call.id, call.name, text, isError)),
  },
];

export const writes: HistoryWriter = {
  result: ({ id, name }, text) => partOfUser(functionResponse(id, name, text, true)),
  text: (text) => partOfUser({ text }),
  content: (value) => ({ output: value ?? "" }),
};

function partOfUser(value: object): Writing {
  return { element: { role: "user", parts: [value] }, part: { list: "/parts", value } };
}

/** Gemini 3 accepts this in place of the signature of a call that it did not make. */
const noSignature = "skip_thought_signature_validator";

export const encode: Encode = (plain) => {
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
  const config = defined({ maxOutputTokens: plain.maxTokens, temperature: plain.temperature });
  const body = {
    systemInstruction: plain.system === undefined ? undefined : { parts: [{ text: plain.system }] },
    contents,
    tools: plain.tools?.length
      ? [
          {
            functionDeclarations: plain.tools.map(({ name, description, parameters }) =>
              defined({ name, description, parametersJsonSchema: parameters }),
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
    body: defined(body),
    lost: linked > 0 ? ["images that are only linked: Gemini wants their bytes"] : [],
  };
};
