import type { PlainPart } from "../reading/payload.ts";
import { known, plainEntry, resultPart, textOf } from "./plain.ts";
import { type Fields, fields, filled, list, type SessionFile, type SessionRecord } from "./session.ts";
import { append, compacted, type GrowingThread, growingThread } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/**
 * What `opencode export` writes: messages with parts. A tool's call and result are one part; a message of the assistant holds several
 * replies, which `step-start` sets apart. A summary takes the place of what was before.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const threads: GrowingThread[] = [growingThread("plain")];
  const messages = file.elements("/messages");
  for (const record of messages) {
    const info = fields(record.value["info"]);
    let thread = threads.at(-1) as GrowingThread;
    if (info["summary"] === true && thread.entries.length > 0) {
      thread = compacted(thread);
      threads.push(thread);
    }
    if (info["role"] === "user") addUser(thread, record);
    else if (info["role"] === "assistant") addReplies(thread, record, info);
    else file.skip(record, "a message of no role");
  }
  if (messages.length === 0)
    file.advise(
      "a piece of opencode's storage, which keeps each message and each part of one in a file of its own: `opencode export SESSION` writes the session as one file",
    );
  yield* threads;
}

function addUser(thread: GrowingThread, record: SessionRecord): void {
  const parts = partsOf(record).flatMap(([part, at]): PlainPart[] => {
    if (part["type"] === "text") return [{ kind: "text", text: textOf(part["text"]), at }];
    return part["type"] === "file" ? [{ kind: "media", at }] : [];
  });
  const time = fields(fields(record.value["info"])["time"])["created"];
  append(thread, plainEntry(record, "user", parts, known({ time })));
}

function partsOf(record: SessionRecord): [Fields, string][] {
  return list(record.value["parts"]).map((part, index) => [fields(part), `/parts/${index}`]);
}

function addReplies(thread: GrowingThread, record: SessionRecord, info: Fields): void {
  const error = fields(info["error"]);
  const isAborted = error["name"] === "MessageAbortedError";
  const facts = { model: filled(info["modelID"]), time: fields(info["time"])["created"] };
  const steps: { said: PlainPart[]; results: PlainPart[]; finish: Fields | undefined }[] = [];
  for (const [part, at] of partsOf(record)) {
    const last = steps.at(-1);
    if (part["type"] === "step-start" || !last || last.finish)
      steps.push({ said: [], results: [], finish: undefined });
    const step = steps.at(-1);
    if (!step) continue;
    if (part["type"] === "step-finish") step.finish = part;
    else if (part["type"] === "text") step.said.push({ kind: "text", text: textOf(part["text"]), at });
    else if (part["type"] === "reasoning")
      step.said.push({ kind: "reasoning", text: textOf(part["text"]), at });
    else if (part["type"] === "tool") addTool(step, part, at);
  }
  for (const [index, { said, results, finish }] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (said.length === 0 && !isLast) continue;
    const reason = filled(finish?.["reason"]) ?? (isLast ? filled(info["finish"]) : undefined);
    const tokens = fields(finish?.["tokens"] ?? (isLast ? info["tokens"] : undefined));
    const reply = plainEntry(record, "assistant", said, {
      ...known(facts),
      reply: `${filled(info["id"]) ?? record.base} ${index}`,
      ...(reason !== undefined && { finish: { reason, pointer: "/info" } }),
      ...(typeof tokens["output"] === "number" && { usage: usageOf(tokens) }),
      ...(isLast && isAborted && { isAborted }),
      ...(isLast &&
        error["name"] !== undefined &&
        !isAborted && { error: { message: errorText(error), pointer: "/info/error" } }),
    });
    append(thread, reply);
    if (results.length > 0) append(thread, plainEntry(record, "tool", results, known(facts)));
  }
}

function addTool(step: { said: PlainPart[]; results: PlainPart[] }, part: Fields, at: string): void {
  const state = fields(part["state"]);
  const id = filled(part["callID"]);
  const name = filled(part["tool"]) ?? "";
  step.said.push({
    kind: "call",
    ...(id !== undefined && { id }),
    name,
    arguments: state["input"] ?? {},
    at,
  });
  const { status } = state;
  if (status !== "completed" && status !== "error") return;
  const text = textOf(status === "error" ? state["error"] : state["output"]);
  step.results.push(resultPart({ callId: id, name, text, isError: status === "error", at: `${at}/state` }));
}

function usageOf(tokens: Fields): { input: number; output: number; cached: number } {
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  const cached = count(fields(tokens["cache"])["read"]);
  return { input: count(tokens["input"]) + cached, output: count(tokens["output"]), cached };
}

function errorText(error: Fields): string {
  return filled(fields(error["data"])["message"]) ?? filled(error["message"]) ?? textOf(error["name"]);
}
