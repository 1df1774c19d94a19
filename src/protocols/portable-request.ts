import type { Request, ToolChoice } from "../conversation/exchange.ts";
import type { Item, ToolCall, ToolResult } from "../conversation/item.ts";
import { pushAll } from "../reading/lists.ts";
import { valueAt } from "../reading/pointer.ts";
import { type Fields, fields, filled, isFields, list, number, string } from "./wire.ts";

/** A request in a neutral form, from which any protocol's request can be written. */
export interface PortableRequest {
  readonly system: string | undefined;
  readonly blocks: readonly Block[];
  readonly tools: readonly PortableTool[] | undefined;
  readonly toolChoice: ToolChoice | undefined;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
}

/** The user's content, or the model's content with each call next to its result. */
export type Block =
  | { readonly role: "user"; readonly parts: readonly Part[] }
  | {
      readonly role: "assistant";
      readonly parts: readonly Part[];
      readonly rounds: readonly PortableRound[];
    };

/** A call and its result. Without a result it is open. */
export interface PortableRound {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly result?: { readonly text: string; readonly isError: boolean };
}

export type Part =
  | { readonly text: string }
  /** An image in base64 with its media type, or at a URL. */
  | { readonly image: { readonly data?: string; readonly mediaType?: string; readonly url?: string } };

export interface PortableTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: unknown;
}

/** The text of a block, without its images. */
export function blockText({ parts }: Block): string {
  return parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
}

type Answered = PortableRound & { readonly result: NonNullable<PortableRound["result"]> };

/** The calls of a block that have a result. */
export function answered({ rounds }: Extract<Block, { role: "assistant" }>): Answered[] {
  return rounds.filter((round): round is Answered => round.result !== undefined);
}

/** An image as one URL; a data URL if the bytes are known. */
export function imageUrl({ image }: Extract<Part, { image: unknown }>): string {
  return image.data === undefined ? (image.url ?? "") : `data:${image.mediaType};base64,${image.data}`;
}

/** Converts a request of any protocol. `lost` names what could not be carried, one phrase each. */
export function portableRequest(
  request: Request,
  body: Fields,
): { readonly plain: PortableRequest; readonly lost: readonly string[] } {
  const lost = new Map<string, number>();
  const lose = (what: string): void => void lost.set(what, (lost.get(what) ?? 0) + 1);
  const { system, blocks } = blocksOf(request, lose);
  const config = fields(body["generationConfig"]);
  const options = fields(body["options"]);
  const plain: PortableRequest = {
    system: [request.system, ...system].filter(Boolean).join("\n\n") || undefined,
    blocks,
    tools: toolsOf(request, body, lose),
    toolChoice: request.toolChoice,
    maxTokens: request.maxTokens,
    temperature:
      number(body["temperature"]) ?? number(config["temperature"]) ?? number(options["temperature"]),
  };
  return { plain, lost: [...lost].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`)) };
}

interface OpenRound {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  result?: NonNullable<PortableRound["result"]>;
}

interface OpenBlock {
  readonly role: "assistant";
  readonly parts: Part[];
  readonly rounds: OpenRound[];
}

type Lose = (what: string) => void;

function blocksOf({ history }: Request, lose: Lose): { system: string[]; blocks: Block[] } {
  const system: string[] = [];
  const blocks: (OpenBlock | { readonly role: "user"; readonly parts: Part[] })[] = [];
  let answered = false;
  let count = 0;
  const assistant = (): OpenBlock => {
    const last = blocks.at(-1);
    if (last?.role === "assistant" && !answered) return last;
    const made: OpenBlock = { role: "assistant", parts: [], rounds: [] };
    blocks.push(made);
    answered = false;
    return made;
  };
  const rounds = () => blocks.flatMap((block) => (block.role === "assistant" ? block.rounds : []));

  const take = (item: Item, element: unknown): void => {
    switch (item.kind) {
      case "message": {
        if (item.role === "system") {
          if (item.text !== "") system.push(item.text);
          return;
        }
        const parts = partsOf(
          item.text,
          item.hasMedia ? mediaOf(element, item.pointer) : [],
          item.hasMedia,
          lose,
        );
        if (parts.length === 0) return;
        if (item.role === "assistant") pushAll(assistant().parts, parts);
        else {
          const last = blocks.at(-1);
          if (last?.role === "user") pushAll(last.parts, parts);
          else blocks.push({ role: "user", parts });
        }
        return;
      }
      case "call":
        if (item.isHosted) lose(`a call to \`${item.name}\`, which the provider runs itself`);
        else assistant().rounds.push(roundOf(item, count++));
        return;
      case "result": {
        if (item.isHosted) return;
        const open = openRound(item, rounds());
        if (!open) {
          lose("a result whose call is nowhere");
          return;
        }
        open.result = { text: item.text, isError: item.isError === true };
        if (item.hasMedia) lose("an image in a result");
        answered = true;
        return;
      }
      case "reasoning":
        lose("reasoning, which only its own provider can read");
        return;
      case "compaction":
        if (item.text === "") lose("a compacted part of the history");
        else blocks.push({ role: "user", parts: [{ text: item.text }] });
        return;
      case "reference":
        lose("an item that the server keeps");
        return;
      case "opaque":
        lose(`an item of type \`${item.wireType}\``);
        return;
    }
  };
  for (let index = 0; index < history.length; index++) {
    for (const item of history.items(index)) take(item, history.element(index).value);
  }
  return { system, blocks };
}

function roundOf(call: ToolCall, index: number): OpenRound {
  return {
    id: call.id ?? `call_${index + 1}`,
    name: call.name,
    arguments: call.arguments === undefined ? { input: call.argumentsText } : call.arguments,
  };
}

/** Finds the call by id; without one, the first open call of that name, or the first open call. */
function openRound(result: ToolResult, rounds: readonly OpenRound[]): OpenRound | undefined {
  const open = rounds.filter((round) => round.result === undefined);
  if (result.callId !== undefined) return open.find(({ id }) => id === result.callId);
  return open.find(({ name }) => name === result.name) ?? (result.name === undefined ? open[0] : undefined);
}

function partsOf(text: string, media: readonly Part[], hasMedia: boolean, lose: Lose): Part[] {
  if (hasMedia && media.length === 0) lose("an attachment that is not an image");
  return [...(text === "" ? [] : [{ text }]), ...media];
}

/** The images of the item at a pointer into an element; Ollama keeps them next to the content. */
function mediaOf(element: unknown, pointer: string): Part[] {
  const own = mediaIn(valueAt(element, pointer));
  return own.length > 0 ? own : mediaIn({ images: fields(element)["images"] });
}

/** The images in an element or a part of one, in any protocol's form. */
function mediaIn(value: unknown): Part[] {
  if (Array.isArray(value)) return value.flatMap(mediaIn);
  const part = fields(value);
  const inline = fields(part["inlineData"] ?? part["inline_data"]);
  const source = fields(part["source"]);
  const url =
    string(fields(part["image_url"])["url"]) ??
    string(part["image_url"]) ??
    (source["type"] === "url" ? string(source["url"]) : undefined);
  if (url !== undefined) return [{ image: imageAt(url) }];
  const data = string(inline["data"]) ?? (source["type"] === "base64" ? string(source["data"]) : undefined);
  const mediaType = string(inline["mimeType"] ?? inline["mime_type"] ?? source["media_type"]) ?? "image/png";
  if (data !== undefined) return mediaType.startsWith("image/") ? [{ image: { data, mediaType } }] : [];
  const images = list(part["images"]).filter((image): image is string => typeof image === "string");
  if (images.length > 0) return images.map((image) => ({ image: { data: image, mediaType: "image/png" } }));
  return [...list(part["content"]), ...list(part["parts"])].flatMap(mediaIn);
}

function imageAt(url: string): { data?: string; mediaType?: string; url?: string } {
  const [, mediaType, data] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType !== undefined && data !== undefined ? { data, mediaType } : { url };
}

function toolsOf({ tools }: Request, body: Fields, lose: Lose): PortableTool[] | undefined {
  return tools?.flatMap((tool): PortableTool[] => {
    if (tool.isHosted) {
      lose(`the tool \`${tool.name}\`, which the provider runs itself`);
      return [];
    }
    const raw = fields(valueAt(body, tool.pointer));
    const described = isFields(raw["function"]) ? raw["function"] : raw;
    return [
      {
        name: tool.name,
        description: filled(described["description"]),
        parameters: withLowerTypes(tool.parameters ?? { type: "object", properties: {} }),
      },
    ];
  });
}

/** Gemini writes JSON Schema types in upper case. */
function withLowerTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withLowerTypes);
  if (!isFields(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "type" && typeof value === "string" ? value.toLowerCase() : withLowerTypes(value),
    ]),
  );
}
