import {
  type Conversation,
  type LogFacts,
  placedItems,
  replyItems,
  type Step,
} from "../../conversation/conversation.ts";
import type { History, Request, RequestFault, RequestForm } from "../../conversation/exchange.ts";
import { isSurelySent } from "../../conversation/new-items.ts";
import { unreadMember } from "../../conversation/unread-member.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { misspelt } from "../requests/nearest.ts";
import { defineRule, type ReportTarget } from "../rule.ts";
import { isPerhapsNewRole } from "../turns/new-roles.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "unknown-feature",
  summary: "A type, role, member, event or stop reason that toollint does not know",
  ground: "misleads",
  severity: "info",
  needs: "anything",
  traits: ["about-log", "explains-nothing"],
  messages: {
    type: ({ name }: Facts) =>
      `the type \`${short(name)}\` is unknown to toollint; its meaning was not checked`,
    role: ({ name }: Facts) =>
      `the role \`${short(name)}\` is unknown to toollint; its meaning was not checked`,
    member: ({ name }: Facts) =>
      `the member \`${short(name)}\` is unknown to toollint; its meaning was not checked`,
    tool: ({ name }: Facts) =>
      `the tool type \`${short(name)}\` is unknown to toollint, which treats it as a tool that the provider runs`,
    event: ({ name }: Facts) =>
      `the event \`${short(name)}\` is unknown to toollint and was left out of the reply`,
    "stop-reason": ({ name }: Facts) =>
      `the stop reason \`${short(name)}\` is unknown to toollint, which reads it neither as a call nor as an answer`,
  },

  *check(conversation, report) {
    const named = namedIn(conversation.log);
    for (const step of conversation.steps) {
      for (const { kind, name, at, below } of novelties(step)) {
        const key = `${step.exchange.file} ${kind} ${name}`;
        if (named.has(key)) continue;
        named.add(key);
        yield report(kind, { name }, at, {
          identity: `${kind} ${name}`,
          ...(below !== undefined && { below }),
        });
      }
    }
  },
});

interface Facts {
  readonly name: string;
}

interface Named {
  readonly kind: "type" | "role" | "member" | "tool" | "event" | "stop-reason";
  readonly name: string;
  readonly at: ReportTarget;
  readonly below?: string;
}

const known = new WeakMap<LogFacts, Set<string>>();

/** What has been named in a log so far: each thing is said once in each file. */
function namedIn(log: Conversation["log"]): Set<string> {
  const names = known.get(log) ?? new Set();
  known.set(log, names);
  return names;
}

function* novelties(step: Step): Generator<Named> {
  if (step.request && !step.request.isCut) yield* ofRequest(step);
  if (step.reply && !step.exchange.isCut) yield* ofReply(step);
}

function* ofRequest(step: Step): Generator<Named> {
  const { request, exchange, kept, relation } = step;
  const { form } = exchange;
  if (!request || relation === "retry" || relation === "repeat") return;
  for (const { unknownType, pointer } of request.tools ?? [])
    if (unknownType !== undefined)
      yield { kind: "tool", name: unknownType, at: { step, part: "request", pointer } };
  const { history, historyPointer } = request;
  const isSent = isSurelySent(step);
  for (let element = kept; element < history.length; element++) {
    const role = history.role(element) === "unknown" ? roleOf(history.element(element).value) : undefined;
    if (role === undefined) continue;
    const at = { step, part: "request" as const, pointer: `${historyPointer}/${element}/role` };
    if (typeof role === "string" ? isPerhapsNewRole(role) : !isSent)
      yield { kind: "role", name: typeof role === "string" ? role : JSON.stringify(role), at };
  }
  yield* unreadMembers(step, request, isSent ? form : undefined);
  // What was sent breaks the schema with an item of an unknown kind.
  if (!form || !isSent) yield* opaqueItems(step);
  if (!form) return;
  // Without a URL, a member of the body may be the logger's own.
  for (const fault of isSent && exchange.url !== undefined ? form.faults : [])
    yield* namedBy(fault, step, fault.pointer);
  for (let element = kept; element < history.length; element++)
    for (const fault of form.elementFaults(element, history))
      if ((isSent || fault.isUnheardOf) && !isOfStreamEvent(history, element, fault))
        yield* namedBy(fault, step, `${historyPointer}/${element}${fault.pointer}`);
}

/** The members of new messages that hold what these say, if nothing else does. A slip is a mistake. */
function* unreadMembers(
  step: Step,
  { history, historyPointer }: Request,
  form: RequestForm | undefined,
): Generator<Named> {
  for (let element = step.kept; element < history.length; element++) {
    const name = unreadMember(history, element);
    if (name === undefined) continue;
    const faults = form?.elementFaults(element, history) ?? [];
    if (faults.some(({ member, known }) => member === name && misspelt(name, known) !== undefined)) continue;
    const pointer = `${historyPointer}/${element}/${pointerToken(name)}`;
    yield { kind: "member", name, at: { step, part: "request", pointer } };
  }
}

/** The type is no new one, but that of an event in the place of a block. */
function isOfStreamEvent(history: History, element: number, { pointer }: RequestFault): boolean {
  return history
    .items(element)
    .some(({ flaws = [] }) =>
      flaws.some(({ kind, pointer: at }) => kind === "stream-event" && pointer.startsWith(`${at}/`)),
    );
}

/** A role that is no word is a fault of what was sent; a history that was kept says nothing else of it. */
function roleOf(element: unknown): unknown {
  return typeof element === "object" && element !== null ? (element as { role?: unknown }).role : undefined;
}

/** Items without a meaning, where no schema of what was sent tells them. */
function* opaqueItems(step: Step): Generator<Named> {
  if (step.exchange.fidelity !== "wire") return;
  for (const placed of [...placedItems(step, step.request?.history, step.kept), ...replyItems(step)])
    if (placed.item.kind === "opaque" && placed.item.wireType !== "" && !placed.item.flaws)
      yield { kind: "type", name: placed.item.wireType, at: placed };
}

function* namedBy(fault: RequestFault, step: Step, pointer: string): Generator<Named> {
  const spot = (below: string): ReportTarget => ({ step, part: "request", pointer: below });
  if (fault.isUnheardOf && fault.seen?.startsWith('"')) {
    const name = String(JSON.parse(fault.seen));
    if (misspelt(name, fault.known) === undefined && !pointer.endsWith("/role"))
      yield { kind: "type", name, at: spot(pointer) };
  }
  const { kind, member } = fault;
  // Data that became a member is no feature.
  const isName = member !== undefined && /^[\w.-]{1,64}$/.test(member);
  if (kind === "unknown" && isName && misspelt(member, fault.known) === undefined)
    yield { kind: "member", name: member, at: spot(`${pointer}/${pointerToken(member)}`) };
}

function* ofReply(step: Step): Generator<Named> {
  const { reply, exchange } = step;
  if (!reply || reply.error) return;
  const at = (pointer: string, extent?: NonNullable<typeof reply.finish>["extent"]): ReportTarget => ({
    step,
    part: "response",
    pointer,
    ...(extent && { extent }),
  });
  for (const { what, name, pointer, extent } of reply.novelties ?? [])
    yield { kind: what, name, at: at(pointer, extent) };
  const { finish } = reply;
  if (finish?.isUnknown)
    yield { kind: "stop-reason", name: finish.reason, at: at(finish.pointer, finish.extent) };
  for (const element of reply.writings?.[0] ?? [])
    for (const fault of exchange.form?.writtenFaults(element) ?? []) {
      // Where the same value stands in the reply's own body is known for its items only.
      const item = reply.items.find(
        (each) => fault.pointer.startsWith(`${each.pointer}/`) && each.pointer !== "",
      );
      const spot = at(item ? fault.pointer : "");
      // Servers add members, but one that is all there is of an item is what the model wrote.
      const whole = reply.items.find((each) => each.kind === "opaque" && each.wireType === fault.member);
      if (fault.kind === "unknown" && fault.member !== undefined && whole)
        yield { kind: "member", name: fault.member, at: at(whole.pointer) };
      // Servers make no slips of the pen, so a type like a known one is another one.
      else if (fault.isUnheardOf && fault.seen?.startsWith('"'))
        yield { kind: "type", name: String(JSON.parse(fault.seen)), at: spot };
    }
}
