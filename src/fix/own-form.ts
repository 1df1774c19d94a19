import type { Step } from "../conversation/conversation.ts";
import type { History } from "../conversation/exchange.ts";
import type { Item } from "../conversation/item.ts";
import { changedStep } from "../conversation/stitch/draft.ts";
import { plain } from "../protocols/plain/index.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { parseJson } from "../reading/parse.ts";
import { plainSpan } from "../reading/place.ts";
import type { SessionWriter } from "../traffic/session-writer.ts";

/** A step of a session in the form of its records, and the protocol that reads and writes them. */
export interface InRecords {
  readonly step: Step;
  readonly protocol: Protocol;
}

/** A step whose agent records in its own form: the records themselves are its history. */
export function inRecords(step: Step, writer: SessionWriter): InRecords {
  const history = step.request?.history;
  const { session } = step.exchange;
  if (!history || !session || !step.request) return { step, protocol: plain };
  const known = new Map<number, unknown>();
  const elements = Array.from({ length: history.length }, (_, index) => {
    const span = session.recordAt(`/${index}`)?.span;
    if (!span) return { value: undefined, size: 0, isBroken: true };
    const { view, start, end } = plainSpan(span);
    if (!known.has(start)) known.set(start, parseJson(view.read(start, end).toString("utf8")));
    return { value: known.get(start), size: end - start, isBroken: false };
  });
  const items = elements.map((_, index) => history.items(index).map((item) => inRecord(item, writer)));
  const records: History = {
    length: history.length,
    run: history.run,
    element: (index) => elements[index] ?? { value: undefined, size: 0, isBroken: true },
    items: (index) => items[index] ?? [],
    role: (index) => history.role(index),
  };
  const holders = new Map<string | undefined, unknown>();
  for (const [index, own] of items.entries())
    for (const item of own)
      if (item.kind === "call" && !holders.has(item.id)) holders.set(item.id, elements[index]?.value);
  return {
    step: changedStep(step, { request: { ...step.request, history: records } }),
    protocol: {
      ...plain,
      decodeElement(value) {
        const messages = writer.messages(value);
        const decoded = messages.flatMap((message) => plain.decodeElement(message).items);
        return { role: messages[0]?.role ?? "user", items: decoded.map((item) => inRecord(item, writer)) };
      },
      places: (value) => ({
        callId: "/id",
        callName: "/name",
        callArguments: "/arguments",
        resultId: writer.resultId(value),
        resultName: "/name",
      }),
      writes: {
        result: ({ id, name }, text) => {
          const record = holders.get(id);
          return writer.result?.({ id: id ?? "", name }, text, record) ?? { element: record };
        },
        text: (text, record) => writer.words?.(text, record) ?? { element: record },
        content: (value) => value,
        ...(writer.closed && { closed: writer.closed }),
      },
    },
  };
}

/** A result in its own record is moved or removed with the whole record. */
function inRecord(item: Item, { hasResultRecords }: SessionWriter): Item {
  return item.kind === "result" && hasResultRecords ? { ...item, pointer: "" } : item;
}
