import { maskedJson } from "../reporters/masked-json.ts";
import { maskedStart } from "../reporters/visible.ts";
import type { DiffedPart } from "./item-diff.ts";
import type { DiffReport, RowReport } from "./report.ts";
import type { StepsReport } from "./steps-report.ts";

/** Longer item texts are cut; the log has the full text. */
const longest = 2000;

/** The comparison as JSON in chunks, one line per step. Credentials are masked. */
export function* diffJson({ steps, ...rest }: DiffReport): Generator<string> {
  yield `${maskedJson(rest).slice(0, -1)},"steps":[`;
  for (const [index, step] of steps.entries()) {
    const { request, reply } = step;
    const short = {
      ...step,
      request: {
        ...request,
        items: request.items.map(shortened),
        settings: request.settings.map(withShortParts),
      },
      reply: { ...reply, items: reply.items.map(shortened) },
    };
    yield `${index > 0 ? "," : ""}\n${maskedJson(short)}`;
  }
  yield "]}\n";
}

/** The requests of one log, each compared with its predecessor, as JSON in chunks. Credentials are masked. */
export function* successionJson({ conversations, ...rest }: StepsReport): Generator<string> {
  yield `${maskedJson(rest).slice(0, -1)},"conversations":[`;
  for (const [number, { name, steps }] of conversations.entries()) {
    yield `${number > 0 ? "," : ""}\n${maskedJson({ name }).slice(0, -1)},"steps":[`;
    for (const [index, step] of steps.entries()) yield `${index > 0 ? "," : ""}\n${maskedJson(step)}`;
    yield "]}";
  }
  yield "]}\n";
}

function shortened(row: RowReport): RowReport {
  const { left, right } = row;
  return {
    ...withShortParts(row),
    left: left && { ...left, text: cut(left.text) },
    right: right && { ...right, text: cut(right.text) },
  };
}

function withShortParts<T extends { readonly parts: readonly DiffedPart[] }>(whole: T): T {
  const parts = whole.parts.map(({ name, pointer, left, right }) => ({
    name,
    pointer,
    left: left === null ? null : cut(left),
    right: right === null ? null : cut(right),
  }));
  return { ...whole, parts };
}

function cut(text: string): string {
  if (text.length <= longest) return text;
  // Mask before cutting: half of a credential would not be recognised.
  return `${maskedStart(text, longest * 2).slice(0, longest)}…`;
}
