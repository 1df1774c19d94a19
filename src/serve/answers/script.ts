import type { FinishMeaning, Usage } from "../../conversation/reply.ts";
import type { ServedItem, ServedReply } from "../../protocols/server-side.ts";
import { faultsOf } from "./script-faults.ts";

/** What a turn has to have for a conversation of a script to fit it; see `schemas/script.schema.json`. */
export interface Conditions {
  readonly user?: string;
  readonly system?: string;
  readonly model?: string;
  readonly tool?: string | boolean;
  readonly result?: string | boolean;
  readonly protocol?: string;
  readonly stream?: boolean;
}

/** A reply of a script. */
export interface ScriptedReply {
  readonly reply: ServedReply;
  /** What goes wrong while it is sent, one for each try of the client: `KIND[,option]`. */
  readonly faults: readonly string[];
  /** Where it stands: `script.yaml:3`. */
  readonly place: string;
}

/** The replies of one conversation. */
export interface ScriptedConversation {
  /** Absent for the replies of every conversation that nothing else fits. */
  readonly when?: Conditions;
  readonly place: string;
  readonly replies: readonly ScriptedReply[];
}

/** A script without faults. */
export interface Script {
  readonly name: string;
  readonly conversations: readonly ScriptedConversation[];
  readonly replies?: ScriptedConversation;
  readonly otherwise?: ScriptedReply;
}

/** A script that cannot be used; a line for each fault, with its place. */
export class ScriptError extends Error {}

/** The place of the value at a path in a script. */
export type PlaceOf = (path: readonly (string | number)[]) => string;

/** A value as a script; throws {@link ScriptError} if it is none. */
export function scriptOf(value: unknown, name: string, placeOf: PlaceOf = pathPlaces(name)): Script {
  const faults = faultsOf(value);
  if (faults.length > 0)
    throw new ScriptError(faults.map(({ path, sentence }) => `${placeOf(path)}: ${sentence}`).join("\n"));
  const { replies, conversations = [], otherwise } = value as RawScript;
  const conversation = (path: readonly (string | number)[], raw: readonly RawReply[]) => ({
    place: placeOf(path),
    replies: raw.map((reply, index) => replyOf(reply, placeOf([...path, "replies", index]))),
  });
  return {
    name,
    conversations: conversations.map(({ when, replies: own }, index) => ({
      when,
      ...conversation(["conversations", index], own),
    })),
    ...(replies && { replies: conversation([], replies) }),
    ...(otherwise && { otherwise: replyOf(otherwise, placeOf(["otherwise"])) }),
  };
}

/** Places in a value that no file holds: `script: replies[0].calls`. */
function pathPlaces(name: string): PlaceOf {
  return (path) => {
    const steps = path.map((step, index) =>
      typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`,
    );
    return steps.length === 0 ? name : `${name}: ${steps.join("")}`;
  };
}

interface RawScript {
  readonly replies?: readonly RawReply[];
  readonly conversations?: readonly { readonly when: Conditions; readonly replies: readonly RawReply[] }[];
  readonly otherwise?: RawReply;
}

interface RawReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly RawCall[];
  readonly items?: readonly {
    readonly text?: string;
    readonly reasoning?: string;
    readonly call?: RawCall;
  }[];
  readonly stop?: FinishMeaning;
  readonly usage?: Usage;
  readonly fault?: string | readonly string[];
}

interface RawCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly id?: string;
}

function replyOf(raw: RawReply, place: string): ScriptedReply {
  const { reasoning, text, calls = [], items, stop, usage, fault } = raw;
  const said = items ?? [{ reasoning }, { text }, ...calls.map((call) => ({ call }))];
  const served = said.flatMap((item): ServedItem[] => [
    ...("reasoning" in item && item.reasoning !== undefined
      ? [{ kind: "reasoning" as const, text: item.reasoning }]
      : []),
    ...("text" in item && item.text !== undefined ? [{ kind: "text" as const, text: item.text }] : []),
    ...("call" in item && item.call ? [callOf(item.call)] : []),
  ]);
  return {
    reply: { items: served, ...(stop && { stop }), ...(usage && { usage }) },
    faults: fault === undefined ? [] : [fault].flat(),
    place,
  };
}

function callOf({ name, arguments: given = {}, id }: RawCall): ServedItem {
  return { kind: "call", name, arguments: given, ...(id !== undefined && { id }) };
}
