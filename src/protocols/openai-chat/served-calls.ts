import {
  customInput,
  type ReplyContext,
  type ServedItem,
  type ServedReply,
  slicesOf,
} from "../server-side.ts";
import { argumentsText, type Fields, fields, list, string } from "../wire.ts";
import { type ChatDialect, callsBefore } from "./served-dialects.ts";

/** Whether the request declares functions in the form before tools, so that calls come in that form. */
export function isLegacy({ fields: body }: ReplyContext): boolean {
  return Array.isArray(body["functions"]) && body["tools"] === undefined;
}

/** The calls of a reply, as a message has them. */
export function writtenCalls(
  { items }: ServedReply,
  context: ReplyContext,
  dialect: ChatDialect,
): readonly Fields[] {
  const before = callsBefore(context);
  return items
    .flatMap((item) => (item.kind === "call" ? [item] : []))
    .map((call, index) => writtenCall(call, before + index, context, dialect));
}

function writtenCall(
  call: Extract<ServedItem, { kind: "call" }>,
  number: number,
  context: ReplyContext,
  dialect: ChatDialect,
): Fields {
  const id = call.id ?? dialect.callId(context, call.name, number);
  const isCustom = list(context.fields["tools"]).some((tool) => {
    const { type, custom } = fields(tool);
    return type === "custom" && fields(custom)["name"] === call.name;
  });
  return isCustom
    ? { id, type: "custom", custom: { name: call.name, input: customInput(call.arguments) } }
    : { id, type: "function", function: { name: call.name, arguments: argumentsText(call.arguments) } };
}

/** The segments of a call in a stream: its beginning, and fragments of its text. */
export function callSegments(call: Fields): readonly Fields[] {
  const [type, key] = call["type"] === "custom" ? ["custom", "input"] : ["function", "arguments"];
  const body = fields(call[type]);
  const fragments = slicesOf(string(body[key]) ?? "");
  return [
    { ...call, [type]: { ...body, [key]: "" } },
    ...fragments.map((slice) => ({ [type]: { [key]: slice } })),
  ];
}
