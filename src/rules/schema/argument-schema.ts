import { type Conversation, isCall, replyItems } from "../../conversation/conversation.ts";
import { newItems } from "../../conversation/new-items.ts";
import { parseJson } from "../../reading/parse.ts";
import { isFields } from "../../reading/values.ts";
import { type ArgumentFault, valueWords } from "./argument-fault.ts";
import type { ArgumentValidator, Judgement } from "./argument-validator.ts";
import { surelyFits } from "./quick-check.ts";

let validator: ArgumentValidator | undefined;

/** Conversations already checked, since several rules ask. */
const lookedAt = new WeakSet<readonly Conversation[]>();

/** Loads the validator unless a quick check accepts all calls. Await it before {@link argumentFaults}. */
export async function loadValidator(conversations: readonly Conversation[]): Promise<void> {
  if (lookedAt.has(conversations)) return;
  lookedAt.add(conversations);
  if (
    !validator &&
    callsOf(conversations).some(([value, schema]) => isFields(schema) && !surelyFits(value, schema))
  )
    validator = (await import("./argument-validator.ts")).createValidator();
  validator?.refill();
}

/** The arguments of calls with the schemas from their requests. */
function callsOf(conversations: readonly Conversation[]): (readonly [value: unknown, schema: unknown])[] {
  return conversations
    .flatMap(({ steps }) => steps)
    .flatMap((step) => {
      if (!step.request?.tools) return [];
      const tools = new Map(step.request?.tools?.map(({ name, parameters }) => [name, parameters]));
      if (tools.size === 0) return [];
      return [...newItems(step), ...replyItems(step)]
        .filter(isCall)
        .filter(({ item }) => item.isJson && item.arguments !== undefined)
        .map(({ item }) => [item.arguments, tools.get(item.name)] as const);
    });
}

/** The faults of arguments, as far as their schema can be followed, in schema order. */
export function argumentFaults(value: unknown, schema: unknown): readonly ArgumentFault[] {
  return judgementOf(value, schema).faults;
}

/** Why a part of the schema was not followed, in words that continue "the schema of `tool` …". */
export function unfollowedPart(value: unknown, schema: unknown): string | undefined {
  return judgementOf(value, schema).unfollowed;
}

const faultless: Judgement = { faults: [] };

/** What is known of arguments, with the schema that says so: several rules ask. */
const judged = new WeakMap<object, { readonly schema: object; readonly judgement: Judgement }>();

function judgementOf(value: unknown, schema: unknown): Judgement {
  if (!isFields(schema)) return faultless;
  if (!isFields(value)) {
    // Arguments must be an object, even if the schema does not say so.
    const isConvertible = typeof value === "string" && /^\s{0,10}[[{]/.test(value);
    return { faults: [{ kind: "type", path: "", wanted: "object", seen: valueWords(value), isConvertible }] };
  }
  const known = judged.get(value);
  if (known?.schema === schema) return known.judgement;
  const judgement = surelyFits(value, schema) ? faultless : validator?.judge(value, schema);
  if (!judgement) return faultless;
  judged.set(value, { schema, judgement });
  return judgement;
}

/** A text that contains a JSON object: arguments that were encoded twice. */
export function isObjectText(value: unknown): boolean {
  return typeof value === "string" && /^\s*\{/.test(value) && isFields(parseJson(value));
}
