import { createHash } from "node:crypto";
import type { Placed } from "../conversation/conversation.ts";
import type { Item } from "../conversation/item.ts";
import { itemPlace } from "../conversation/places.ts";
import type { Mutable } from "../reading/mutable.ts";
import { masked, visible } from "../reporters/visible.ts";
import { itemRemarks, itemText, itemTraits } from "../show/items.ts";
import type { Described } from "../show/shown.ts";
import type { ItemNumber, Occurrence, PageItem } from "./data.ts";
import { jsonInLines } from "./json-lines.ts";
import { mediaOf } from "./media.ts";
import { shownText, type TextTable } from "./texts.ts";

/** An occurrence as the description of its step needs it. */
export interface NumberedItem extends Described, Occurrence {}

/** Characters of a preview, and of a preview once a page has many items. */
const longPreview = 160;
const shortPreview = 48;
export const manyItems = 3000;

/** The items of a page: equal items that requests repeat have one number. */
export class ItemTable {
  readonly items: Mutable<PageItem>[] = [];
  readonly #texts: TextTable;
  readonly #fileOf: (placed: Placed) => number;
  readonly #numbers = new Map<Item, ItemNumber>();
  readonly #contents = new Map<string, ItemNumber>();

  /** @param fileOf index of the file that a part of a step lies in */
  constructor(texts: TextTable, fileOf: (placed: Placed) => number) {
    this.#texts = texts;
    this.#fileOf = fileOf;
  }

  /** An item in its place; `remarks` are about this occurrence only. */
  readonly occurrence = (placed: Placed, remarks: readonly string[] = []): NumberedItem => {
    const { line, column } = itemPlace(placed) ?? { line: 1, column: 1 };
    return {
      kind: placed.item.kind,
      item: this.#numberAt(placed, line, column),
      line,
      column,
      ...(remarks.length > 0 && { remarks: remarks.map(shownLine) }),
    };
  };

  numberOf(placed: Placed): ItemNumber {
    const known = this.#numbers.get(placed.item);
    return known ?? this.occurrence(placed).item;
  }

  /** Notes that a call and a result belong together. */
  pair(call: Placed, result: Placed): void {
    const [one, other] = [this.numberOf(call), this.numberOf(result)];
    const [first, second] = [this.items[one], this.items[other]];
    if (first) first.partner ??= other;
    if (second) second.partner ??= one;
  }

  #numberAt(placed: Placed, line: number, column: number): ItemNumber {
    const { item } = placed;
    const known = this.#numbers.get(item);
    if (known !== undefined) return known;
    const media = mediaOf(placed);
    const remarks = itemRemarks(placed);
    const traits = media.length > 0 ? [] : itemTraits(item);
    const text = itemText(item);
    const tool = item.kind === "call" || item.kind === "result" ? item.name : undefined;
    const callId = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
    const key = createHash("sha256")
      .update(JSON.stringify([item.kind, item.role, tool, callId, media, remarks, traits]))
      .update(text)
      .digest("base64");
    const number = this.#contents.get(key) ?? this.items.length;
    this.#numbers.set(item, number);
    if (number < this.items.length) return number;
    this.#contents.set(key, number);
    this.items.push({
      kind: item.kind,
      role: item.role,
      ...this.#content(item.kind === "call" && item.arguments !== undefined ? jsonInLines(text) : text),
      bytes: Buffer.byteLength(text),
      ...(tool !== undefined && { tool: shownLine(tool) }),
      ...(callId !== undefined && { callId: shownLine(callId) }),
      ...(media.length > 0 && { media: media.map(shownLine) }),
      ...(traits.length > 0 && { traits }),
      ...(remarks.length > 0 && { remarks: remarks.map(shownLine) }),
      place: { file: this.#fileOf(placed), line, column },
    });
    return number;
  }

  #content(text: string): Pick<PageItem, "preview" | "text"> {
    const shown = shownText(text);
    const preview = shownStart(shown, this.items.length < manyItems ? longPreview : shortPreview);
    return preview === shown ? { preview } : { preview, text: this.#texts.add(shown) };
  }
}

/** The beginning of a text, with white space as single spaces. */
export function shownStart(text: string, length: number): string {
  const start = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, length);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** A short text of the log on one line. */
export function shownLine(text: string): string {
  return visible(masked(text));
}
