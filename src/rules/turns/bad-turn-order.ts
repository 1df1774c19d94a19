import { mayLackBehind, type Placed, type Step } from "../../conversation/conversation.ts";
import type { Demands, History } from "../../conversation/exchange.ts";
import type { Role } from "../../conversation/item.ts";
import { isSurelySent, newItems } from "../../conversation/new-items.ts";
import type { Fix } from "../../findings/finding.ts";
import { emptyList } from "../../reading/lists.ts";
import { anySpeakerOf } from "../../traffic/roles.ts";
import { soRejected } from "../habit.ts";
import { type ProviderFacts, providerFacts, rejects } from "../provider.ts";
import { hasSucceeded, refusalOf } from "../requests/refusal.ts";
import { defineRule, lower, refused, type Spot } from "../rule.ts";
import { short } from "../words.ts";
import { isPerhapsNewRole } from "./new-roles.ts";

export default defineRule({
  name: "bad-turn-order",
  summary: "Message roles or an order of turns that the provider or the model's template rejects",
  ground: "refused",
  severity: "error",
  needs: "wire",
  messages: {
    unknown: ({ role }: Facts) => `a message has the role \`${short(role)}\`, which the API does not have`,
    nothing: (_: Facts) => "the request has no messages",
    first: ({ role, ...facts }: Facts) =>
      `the history begins with ${article(role)} message, which ${rejects(facts)}`,
    firstCall: (_: Facts) =>
      "the history begins with a tool call, which must follow a user turn or a tool result",
    alternation: ({ role }: Facts) =>
      `two ${role} messages follow each other; the model's chat template requires roles to alternate`,
    userAfterResult: (facts: Facts) =>
      `a user message directly follows a tool result, which ${rejects(facts)}`,
    noUser: (_: Facts) =>
      "the history has no user message, which the model's chat template requires (tool results do not count)",
    noSystem: (_: Facts) => "the history has a system message, but the model's chat template accepts none",
    system: (_: Facts) =>
      "a system message comes after other messages; the model's chat template requires it first",
    systemFollows: ({ role, ...facts }: Facts) =>
      `a system message directly follows ${article(role)} message, which ${rejects(facts)}`,
    twoAtEnd: (facts: Facts) => `the history ends with two assistant messages, which ${rejects(facts)}`,
    prefill: (_: Facts) =>
      "the history ends with an assistant message (prefill), which this model does not continue",
    thinkingPrefill: (_: Facts) =>
      "the history ends with an assistant message (prefill), which this model does not continue while thinking is on",
    space: (facts: Facts) =>
      `the assistant message at the end of the history ends with white space, which ${rejects(facts)}`,
  },

  habit: {
    title: "The client sends turns in an order that the provider or the model's chat template rejects",
    consequence: soRejected(
      "So the model may see a garbled conversation, and servers that check this reject the request",
    ),
    change:
      "start with a user turn, merge adjacent turns of one role, and end with a user message or a tool result",
  },

  kindHabits: {
    userAfterResult: {
      title: "The client sends a user message directly after tool results",
      consequence: soRejected(
        "So servers whose model wants an answer to the results first reject the request",
      ),
      change:
        "send an assistant message between the results and the user's next message: the model's answer, or a short text where the user interrupted it",
    },
  },

  advice: {
    unknown: ({ meant }) =>
      meant === undefined ? "use a role that the API has" : `write the role as \`${short(meant)}\``,
    nothing: () => "send at least one message",
    first: () => "begin the history with a user message, also after trimming it",
    firstCall: () => "begin the history with a user message, also after trimming it",
    alternation: () => "merge adjacent messages of one role into one",
    noUser: () => "send at least one user message, and keep it when trimming the history",
    noSystem: () => "put the system prompt into the first user message",
    system: () => "put all system text into one message at the beginning",
    systemFollows: () => "move the system message to the beginning, or behind the next user message",
    twoAtEnd: () => "merge the two assistant messages into one",
    prefill: () => "end the history with a user message or a tool result",
    thinkingPrefill: () => "end the history with a user message or a tool result, or turn thinking off",
    space: () => "remove the white space at the end of the last message",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { request, exchange } = step;
      if (!request || request.settings.isProbe) continue;
      // The provider's own words say that the history was sent, and outweigh a status of server failures.
      const isSaid = exchange.judgedBy !== "target" && isRefusedForOrder(step);
      if (!isSaid && !isSurelySent(step)) continue;
      const severity = isSaid ? "error" : refused(exchange);
      const { history } = request;
      for (const { spot, role } of history.length === 0 ? emptyList : unknownRoles(step)) {
        const meant = meantRole(role, step);
        yield report("unknown", { role, ...(meant !== undefined && { meant }) }, spot, {
          severity,
          identity: `role ${role}`,
          ...(meant !== undefined && { fix: { safety: "safe", title: `writes the role \`${meant}\`` } }),
        });
      }
      if (history.length === 0 && !request.isCut && !exchange.demands.hasServerHistory)
        yield report(
          "nothing",
          { role: "" },
          { step, part: "request", pointer: request.historyPointer },
          { severity },
        );
      if (history.length === 0) continue;
      if (request.links.previousReply !== undefined || step.parent?.isPartial) continue;
      if (mayLackBehind(step, -1)) continue;
      for (const { kind, at, role } of faultsOf(step, exchange.demands)) {
        // Only the model's name speaks for the template, and an answer against it.
        if (ofTemplates.has(kind) && exchange.judgedBy === undefined && hasSucceeded(step)) continue;
        // Some models of such a provider accept it, unless this request was rejected.
        const isDoubtful = kind === "userAfterResult" && exchange.status !== 400;
        const fix = fixOf(kind, at);
        yield report(kind, { role, ...providerFacts(exchange) }, at, {
          severity: isDoubtful ? lower(severity) : severity,
          ...(fix && { fix }),
        });
      }
    }
  },
});

/** The provider refused the request for the order of its turns, or may have. */
function isRefusedForOrder(step: Step): boolean {
  const match = refusalOf(step)?.match;
  return match?.rule === "bad-turn-order" || match?.or === "bad-turn-order";
}

/** What templates of models demand; other servers of the model may have another one. */
const ofTemplates: ReadonlySet<Fault["kind"]> = new Set(["alternation", "noUser", "noSystem", "system"]);

interface Facts extends ProviderFacts {
  readonly role: string;
  /** The API's own name for the role. */
  readonly meant?: string;
}

/** The role name that this history uses elsewhere; all APIs share the user's. */
function meantRole(role: string, { request }: Step): string | undefined {
  const named = anySpeakerOf(role);
  const speaker = named === "user" || named === "assistant" ? named : undefined;
  const history = request?.history;
  for (let index = 0; speaker && history && index < history.length; index++) {
    const { value } = history.element(index);
    if (history.role(index) !== speaker || typeof value !== "object" || value === null) continue;
    const word = (value as { role?: unknown }).role;
    if (typeof word === "string") return word;
  }
  return speaker === "user" ? speaker : undefined;
}

interface Fault {
  readonly kind:
    | "first"
    | "firstCall"
    | "systemFollows"
    | "alternation"
    | "userAfterResult"
    | "noUser"
    | "noSystem"
    | "system"
    | "twoAtEnd"
    | "prefill"
    | "thinkingPrefill"
    | "space";
  readonly at: Placed;
  readonly role: Role;
}

/** A fix that keeps every word. */
function fixOf(kind: Fault["kind"], { step, element }: Placed): Fix | undefined {
  const history = step.request?.history;
  if (kind === "space") return { safety: "safe", title: "removes the white space" };
  if (!history || element === 0) return undefined;
  const isWords = (index: number): boolean => history.items(index).every((item) => item.kind === "message");
  if (kind === "system" && isWords(element))
    return { safety: "safe", title: "moves the message to the front" };
  const isPair =
    history.role(element - 1) === history.role(element) && isWords(element) && isWords(element - 1);
  return isPair && (kind === "alternation" || kind === "twoAtEnd")
    ? { safety: "safe", title: "merges the two messages" }
    : undefined;
}

/** Elements with a role that no protocol of this form has. */
function unknownRoles(step: Step): { readonly spot: Spot; readonly role: string }[] {
  const { request } = step;
  if (!request) return [];
  const elements = new Set(newItems(step).map(({ element }) => element));
  return [...elements].flatMap((element) => {
    if (request.history.role(element) !== "unknown") return [];
    // Items of unknown kinds may have unknown roles.
    if (request.history.items(element).some(({ kind }) => kind === "opaque" || kind === "reference"))
      return [];
    const { value } = request.history.element(element);
    const role = typeof value === "object" && value !== null ? (value as { role?: unknown }).role : undefined;
    if (typeof role !== "string" || isPerhapsNew(role, step)) return [];
    const pointer = `${request.historyPointer}/${element}/role`;
    return [{ spot: { step, part: "request" as const, pointer }, role }];
  });
}

/** No known API has the role, and no refusal names it, so a newer API may have it. */
function isPerhapsNew(role: string, step: Step): boolean {
  return isPerhapsNewRole(role) && refusalOf(step)?.words.includes(role) !== true;
}

/** Violations of a profile. Each is reported where it first occurs, so only new elements are checked. */
function* faultsOf(step: Step, demands: Demands): Generator<Fault> {
  const history = step.request?.history;
  if (!history) return;
  const found = (kind: Fault["kind"], element: number): Fault[] => {
    const [item] = history.items(element);
    return item ? [{ kind, at: { item, step, part: "request", element }, role: item.role }] : [];
  };
  const first = history.length > 0 ? history.role(0) : undefined;
  // A result without its call is reported as orphaned, a role that the API does not have as such.
  if (
    first !== undefined &&
    first !== "tool" &&
    first !== "unknown" &&
    step.kept === 0 &&
    demands.firstRoles?.includes(first) === false
  )
    yield* found("first", 0);
  else if (demands.refusesFirstCall && step.kept === 0 && beginsWithCall(history))
    yield* found("firstCall", 0);
  if (demands.needsUser && step.kept === 0 && history.length > 0 && !hasWords(history))
    yield* found("noUser", 0);
  let speaker = demands.alternates ? lastSpeaker(history, step.kept - 1) : undefined;
  for (let element = step.kept; element < history.length; element++) {
    const [before, role] = [element > 0 ? history.role(element - 1) : undefined, history.role(element)];
    if (demands.systemFirst && role === "system" && before !== undefined) yield* found("system", element);
    if (demands.refusesSystem && role === "system") yield* found("noSystem", element);
    if (role === "system" && before && demands.systemFollows?.includes(before) === false)
      for (const fault of found("systemFollows", element)) yield { ...fault, role: before };
    if (demands.refusesUserAfterResult && role === "user" && before === "tool")
      yield* found("userAfterResult", element);
    if (!demands.alternates || !speaks(history, element)) continue;
    if (role === speaker) yield* found("alternation", element);
    speaker = role;
  }
  const last = history.length - 1;
  if (last < 0 || history.role(last) !== "assistant" || step.request?.settings.isCompaction) return;
  if (demands.refusesTwoAtEnd && last > 0 && history.role(last - 1) === "assistant")
    yield* found("twoAtEnd", last);
  const items = history.items(last);
  const final = items.at(-1);
  // Calls wait for results, and a pause of hosted tools continues like this.
  if (final?.kind !== "message" || items.some(({ kind }) => kind === "call")) return;
  const settings = step.request?.settings;
  const isThinking = settings?.reasoning === true && !items.some(({ kind }) => kind === "reasoning");
  if (demands.refusesPrefill && !settings?.isPrefill) yield* found("prefill", last);
  else if (demands.refusesThinkingPrefill && isThinking && !settings.isPrefill)
    yield* found("thinkingPrefill", last);
  else if (demands.refusesTrailingSpace && final.text.trimEnd() !== final.text) yield* found("space", last);
}

/** The user says something, and does not just send results. */
function hasWords(history: History): boolean {
  for (let element = 0; element < history.length; element++)
    if (history.role(element) === "user" && history.items(element).some(({ kind }) => kind === "message"))
      return true;
  return false;
}

/** The model's first turn makes calls, and nothing is before it. */
function beginsWithCall(history: History): boolean {
  for (let element = 0; element < history.length && history.role(element) === "assistant"; element++)
    if (history.items(element).some((item) => item.kind === "call" && !item.isHosted)) return true;
  return false;
}

/** Who spoke last before an element. Templates with alternating turns ignore calls and results. */
function lastSpeaker(history: History, from: number): Role | undefined {
  for (let element = from; element >= 0; element--)
    if (speaks(history, element)) return history.role(element);
  return undefined;
}

/** Whether an element is a turn of words: calls, and results in a message of the user, do not count. */
function speaks(history: History, element: number): boolean {
  const role = history.role(element);
  const items = history.items(element);
  if (role === "user") return items.length === 0 || items.some(({ kind }) => kind !== "result");
  return role === "assistant" && !items.some(({ kind }) => kind === "call");
}

function article(role: string): string {
  return role === "assistant" ? "an assistant" : `a ${role}`;
}
