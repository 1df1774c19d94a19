import type { FindingReport, Location } from "../findings/report.ts";

/** How a client of one API writes what it has to do, as a line of its code. */
export interface Idiom {
  /** Appending a whole reply and the results of its calls. */
  readonly append: string;
  /** One tool result. */
  readonly result: string;
}

const input: Idiom = {
  append: "`input.push(...reply.output, ...outputs)`",
  result: '`{ type: "function_call_output", call_id: call.call_id, output }`',
};

const messages: Idiom = {
  append: "`messages.push(reply.message, ...results)`",
  result: '`{ role: "tool", tool_call_id: call.id, content }`',
};

const blocks: Idiom = {
  append:
    '`messages.push({ role: "assistant", content: reply.content }, { role: "user", content: results })`',
  result: '`{ type: "tool_result", tool_use_id: call.id, content }`',
};

const contents: Idiom = {
  append: '`contents.push(candidate.content, { role: "user", parts: results })`',
  result: "`{ functionResponse: { id: call.id, name: call.name, response } }`",
};

const messageBlocks: Idiom = {
  append: '`messages.push(reply.output.message, { role: "user", content: results })`',
  result: "`{ toolResult: { toolUseId: call.toolUseId, content } }`",
};

const unknown: Idiom = {
  append: "`history.push(reply, ...results)`",
  result: "the call's id and the result",
};

/** Pointers tell one API from another; the first that fits any place of the findings decides, so the certain ones come first. */
const signs: readonly (readonly [part: "request" | "response", pointer: RegExp, Idiom])[] = [
  ["request", /^\/input\b/, input],
  ["response", /^\/output\/message\b/, messageBlocks],
  ["response", /^\/output\b/, input],
  ["request", /^\/contents\b/, contents],
  ["response", /^\/candidates\b/, contents],
  ["response", /^\/(?:choices|message)\b/, messages],
  ["request", /^\/messages\/\d+\/tool_call/, messages],
  ["response", /^\/content\b/, blocks],
  ["request", /^\/messages\/\d+\/content\/\d/, blocks],
  ["request", /^\/messages\b/, messages],
];

/** The words of the API that the findings are about. */
export function idiomOf(findings: readonly FindingReport[]): Idiom {
  const places = findings.flatMap(({ location, related }) => [
    location,
    ...related.map((note) => note.location),
  ]);
  const sign = signs.find(([part, pointer]) => places.some((place) => fits(place, part, pointer)));
  return sign?.[2] ?? unknown;
}

function fits(place: Location, part: "request" | "response", pointer: RegExp): boolean {
  return place.part === part && place.pointer !== undefined && pointer.test(place.pointer);
}
