import { isCall, isWholeElement, type Placed, type Step } from "../../conversation/conversation.ts";
import type { Exchange, RequestFault } from "../../conversation/exchange.ts";
import { isSurelySent } from "../../conversation/new-items.ts";
import type { Fix, Severity } from "../../findings/finding.ts";
import { append, emptyList } from "../../reading/lists.ts";
import { pointerToken, pointerTokens, valueAt } from "../../reading/pointer.ts";
import { soRejected } from "../habit.ts";
import { defineRule, lower, type ReportTarget, refused, type Spot } from "../rule.ts";
import { errorSpot } from "../spots.ts";
import { short } from "../words.ts";
import { misspelt } from "./nearest.ts";
import { hasSucceeded, refusalOf } from "./refusal.ts";
import { refusedMember, spokenMember } from "./refused-member.ts";

interface Facts {
  /** The place in the body: `messages[3].content[0].type`; empty for the body itself. */
  readonly path: string;
  readonly wanted: string;
  readonly seen: string;
  /** The name of the missing or unknown member. */
  readonly member: string;
  /** The name or value that was probably meant. */
  readonly near: string | undefined;
  /** The name or value that was certainly meant. */
  readonly meant: string | undefined;
}

const place = (path: string): string => (path === "" ? "the request" : `\`${short(path, 80)}\``);
/** The place for the code that writes it, where the number of a message or a tool means nothing. */
const anyPlace = (path: string): string => place(path.replace(/\[\d+\]/g, "[]"));
const meant = ({ near }: Facts): string =>
  near === undefined ? "" : `; probably \`${short(near)}\` is meant`;

export default defineRule({
  name: "invalid-request",
  summary: "A request body that violates the API's schema, where no other rule explains it",
  ground: "refused",
  severity: "error",
  needs: "wire",
  speaksLast: true,
  follows: [{ rules: ["mixed-protocols"], by: "exchange" }],
  messages: {
    type: ({ path, seen, wanted }: Facts) => `${place(path)} is ${inWords(seen)}; the API requires ${wanted}`,
    missing: ({ path, member }: Facts) =>
      `${place(path)} has no \`${short(member)}\`, which the API requires`,
    value: (facts: Facts) =>
      facts.near === undefined
        ? `${place(facts.path)} is ${inWords(facts.seen)}; the API accepts ${facts.wanted}`
        : `${place(facts.path)} is ${inWords(facts.seen)}, which the API does not know${meant(facts)}`,
    unknown: (facts: Facts) =>
      `${place(facts.path)} has \`${short(facts.member)}\`, which the API does not know${meant(facts)}`,
    misplaced: ({ path, member }: Facts) =>
      `${place(path)} has \`${short(member)}\`, which the API does not allow there`,
    alone: ({ path, member, wanted }: Facts) =>
      `${place(path)} has \`${short(member)}\`, which the API allows only together with ${wanted}`,
    together: ({ path, seen, wanted }: Facts) => `${place(path)} is ${inWords(seen)}, ${wanted}`,
    limit: ({ path, seen, wanted }: Facts) => `${place(path)} is ${inWords(seen)}; the API accepts ${wanted}`,
    text: ({ path, seen }: Facts) =>
      `${place(path)} contains \`${seen}\`, half of a surrogate pair, which UTF-8 cannot encode`,
    refused: ({ path, error }: { readonly path: string; readonly error: string }) =>
      `the provider rejected ${place(path)} of the request: ${short(error, 160)}`,
  },

  habit: {
    title: "The client sends requests that violate the API's schema",
    consequence: "So the server rejects them or ignores the wrong fields",
    change: "send each field in the form that the schema requires",
  },
  kindHabits: {
    unknown: {
      title: "The client sends fields that the API does not know",
      consequence: "So the server rejects them or ignores them",
      change: "leave out the unknown fields, or spell them as the API does",
    },
    missing: {
      title: "The client leaves out fields that the API requires",
      consequence: soRejected(),
      change: "add the missing fields",
    },
    together: {
      title: "The client sends a field that this request must not contain",
      consequence: soRejected(),
      change: "remove the field, or what rules it out",
    },
    alone: {
      title: "The client sends a field without the other field that it requires",
      consequence: soRejected(),
      change: "add the missing field, or remove the one that requires it",
    },
  },

  advice: {
    type: ({ path, wanted }) => `send ${anyPlace(path)} as ${wanted}`,
    missing: ({ path, member }) => `add \`${short(member)}\` to ${anyPlace(path)}`,
    value: ({ path, wanted, seen, near }) =>
      near === undefined
        ? `set ${anyPlace(path)} to ${wanted}`
        : `write \`${short(near)}\` instead of ${inWords(seen)} in ${anyPlace(path)}`,
    unknown: ({ path, member, near }) =>
      near === undefined
        ? `remove \`${short(member)}\` from ${anyPlace(path)}`
        : `rename \`${short(member)}\` to \`${short(near)}\` in ${anyPlace(path)}`,
    misplaced: ({ path, member }) => `remove \`${short(member)}\` from ${anyPlace(path)}`,
    alone: ({ path, member, wanted }) =>
      `in ${anyPlace(path)}, add ${wanted}, or leave out \`${short(member)}\``,
    // The other clauses say what the value should be instead.
    together: ({ path, wanted }) =>
      /^which (?!.* since )/.test(wanted) ? `leave out ${anyPlace(path)}, ${wanted}` : undefined,
    limit: ({ path, wanted }) => `send ${anyPlace(path)} as the API accepts it: ${wanted}`,
    text: ({ path }) => `cut the text in ${anyPlace(path)} between characters, not inside a surrogate pair`,
    refused: ({ path }) => `correct ${anyPlace(path)}, or leave it out`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { request, exchange, relation } = step;
      const { form } = exchange;
      if (!request || !form || relation === "retry" || relation === "repeat") continue;
      const found: RequestFault[] = [];
      for (const { fault, element } of isSurelySent(step) && !isAccepted(step) ? faultsOf(step) : []) {
        const facts = factsOf(fault, element, step);
        // A newer API may have it, so only the provider's refusal proves a mistake.
        if (fault.isUnheardOf && facts.near === undefined && !isNamed(facts, step)) continue;
        const callIds = element === undefined ? [] : callsIn(fault, facts, element, step);
        // A typo that provably loses a call is an error with any provider.
        const severity = callIds.length > 0 ? "error" : severityOf(fault, facts, step, element !== undefined);
        if (!severity) continue;
        if (element === undefined) found.push(fault);
        const fix = element === undefined ? undefined : fixOf(fault, facts);
        yield report(fault.kind, facts, targetOf(step, fault, element), {
          ...(element !== undefined && { below: placeOf(fault) }),
          severity,
          callIds,
          ...(fix && { fix }),
          // The same typo in every message or request is one mistake.
          identity: `${facts.path.replace(/\d+/g, "#")} ${fault.member ?? facts.seen}`,
        });
      }

      const refusal = exchange.judgedBy === "target" ? undefined : refusalOf(step);
      // Other rules report size limits, faulty replies and errors inside a stream.
      const about = refusal?.match?.about ?? "request";
      if (!refusal || step.reply?.error?.isMidStream || (about !== "request" && about !== "history"))
        continue;
      const path =
        refusedMember(refusal.match?.complaint, step.reply?.error?.param) ??
        (about === "request" ? spokenMember(refusal.error, form.members) : undefined);
      const [name = ""] = path ?? [];
      if (!path || !isOfBody(name, step) || found.some((fault) => isAbout(fault, name))) continue;
      const isHere = form.members.includes(name);
      if (!isHere && !/missing|required/i.test(refusal.error)) continue;
      yield report(
        "refused",
        { path: pathOf(path), error: refusal.error },
        isHere ? spot(step, `${baseOf(step)}/${path.join("/")}`) : errorSpot(step),
        {
          identity: `${path.join(".")}`,
          ...(isHere && { notes: [{ message: "the provider's answer", at: errorSpot(step) }] }),
          // A later success shows that the client has removed the member.
          ...(steps.some((later) => later.number > step.number && hasSucceeded(later)) && {
            severity: "warning" as const,
          }),
        },
      );
    }
  },
});

/** A fault and the history element that contains it; `undefined` for faults of the body. */
interface Placement {
  readonly fault: RequestFault;
  readonly element: number | undefined;
}

/**
 * The faults of the body and of new history elements; only the history matters for another target. What the
 * log keeps only in part proves nothing.
 */
function faultsOf(step: Step): readonly Placement[] {
  const { request, exchange, kept } = step;
  const { form } = exchange;
  const isForTarget = exchange.judgedBy === "target";
  let found: readonly Placement[] = emptyList;
  // The history of another protocol must be translated first, which changes its form.
  if (!request || !form || (isForTarget && exchange.demands.isStrict !== true)) return found;
  if (!isForTarget && !request.isCut)
    for (const fault of form.faults) found = append(found, { fault, element: undefined });
  for (let element = kept; element < request.history.length; element++)
    if (isWholeElement(step, element))
      for (const fault of form.elementFaults(element, request.history))
        found = append(found, { fault, element });
  return found;
}

/** The provider's refusal names the value. */
function isNamed({ seen }: Facts, step: Step): boolean {
  const value = textOf(seen);
  return value !== undefined && refusalOf(step)?.words.includes(value) === true;
}

/** The provider itself accepted the request. */
function isAccepted(step: Step): boolean {
  return step.exchange.isOwnProvider && step.exchange.judgedBy !== "target" && hasSucceeded(step);
}

function severityOf(
  { kind, isAbridgeable }: RequestFault,
  { near }: Facts,
  step: Step,
  isOfHistory: boolean,
): Severity | undefined {
  const { exchange } = step;
  const isStrict = exchange.demands.isStrict === true;
  const severity = refused(exchange);
  // Every API release adds names, so an unknown one is wrong only if it resembles a known one.
  if (kind === "unknown") return near === undefined ? undefined : isStrict ? severity : "info";
  if (isAbridgeable && !exchange.isOwnProvider) return isStrict ? "info" : undefined;
  if (kind === "limit" || kind === "alone") return isStrict ? severity : undefined;
  // A server that answered accepts this form or ignores it. But no provider can do without the required
  // members of a message, while settings may be missing only in the log.
  const isForgiven = kind !== "missing" || !isOfHistory || exchange.isOwnProvider || isKin(exchange);
  if (hasSucceeded(step) && isForgiven && exchange.judgedBy !== "target") return "info";
  // Servers that implement another provider's protocol add values of their own.
  const isTaken = kind === "misplaced" && exchange.demands.isStrict === false;
  return isTaken || (kind === "value" && isKin(exchange)) ? lower(lower(severity)) : severity;
}

/** Another provider that implements this protocol. */
function isKin({ profile, demands }: Exchange): boolean {
  return profile !== undefined && demands.isStrict !== true;
}

function factsOf(fault: RequestFault, element: number | undefined, step: Step): Facts {
  const names = pointerTokens(pointerOf(fault, element, step));
  const slip =
    fault.kind === "unknown" ? fault.member : fault.kind === "value" ? textOf(fault.seen) : undefined;
  const present =
    fault.kind === "unknown" && element === undefined ? (step.exchange.form?.members ?? []) : [];
  const misspelling = slip === undefined ? undefined : misspelt(slip, fault.known);
  // If the known name is present as well, the unknown one means something else.
  const near = misspelling !== undefined && present.includes(misspelling) ? undefined : misspelling;
  const isKind = fault.kind === "value" && fault.pointer.endsWith("/type");
  return {
    path: pathOf(names),
    wanted: fault.wanted,
    seen: fault.seen ?? "",
    member: fault.member ?? "",
    near,
    meant: near ?? (isKind && slip !== undefined ? ofTheSameKind(slip, fault.known) : undefined),
  };
}

/** The only known word with the same ending: `input_text` and `output_text` are both text. */
function ofTheSameKind(word: string, known: readonly string[]): string | undefined {
  const kind = (name: string): string => name.slice(name.lastIndexOf("_") + 1);
  const same = known.filter((name) => kind(name) === kind(word));
  return same.length === 1 ? same[0] : undefined;
}

function fixOf({ kind }: RequestFault, { meant: wanted }: Facts): Fix | undefined {
  if (kind === "text") return { safety: "lossy", title: "replaces the half character with `?`" };
  return (kind === "unknown" || kind === "value") && wanted !== undefined
    ? { safety: "safe", title: `writes it as \`${short(wanted)}\`` }
    : undefined;
}

/** The calls that are lost or look unanswered because a misnamed member contains their ids or tool names. */
function callsIn(fault: RequestFault, { near }: Facts, element: number, step: Step): string[] {
  if (fault.kind !== "unknown" || near === undefined) return [];
  const value = valueAt(step.request?.history.element(element).value, placeOf(fault));
  const valueText = JSON.stringify(value ?? null);
  const lost = [...step.missing.filter(isCall), ...step.pairing.unanswered].map(({ item }) => item);
  const unnamed = step.pairing.mismatches
    .filter(({ how }) => how === "missing-id")
    .map(({ call }) => call.item);
  return [...new Set([...lost, ...unnamed].map((call) => call.id ?? call.name))].filter((name) =>
    valueText.includes(JSON.stringify(name)),
  );
}

function pointerOf({ pointer }: RequestFault, element: number | undefined, { request }: Step): string {
  return element === undefined ? pointer : `${request?.historyPointer ?? ""}/${element}${pointer}`;
}

function targetOf(step: Step, fault: RequestFault, element: number | undefined): ReportTarget {
  const [item] = element === undefined ? [] : (step.request?.history.items(element) ?? []);
  if (!item || element === undefined) {
    return spot(
      step,
      `${element === undefined ? "" : `${step.request?.historyPointer}/${element}`}${placeOf(fault)}`,
    );
  }
  const placed: Placed = { item, step, part: "request", element };
  return placed;
}

/** The smallest value concerned, as a pointer from the start of the fault's own pointer. */
function placeOf({ kind, pointer, member }: RequestFault): string {
  return kind === "unknown" || kind === "misplaced" || kind === "alone"
    ? `${pointer}/${pointerToken(member ?? "")}`
    : pointer;
}

function spot(step: Step, pointer: string): Spot {
  return { step, part: "request", pointer };
}

/** The pointer to the object with the history. */
function baseOf({ request }: Step): string {
  return (request?.historyPointer ?? "").replace(/\/[^/]*$/, "");
}

/** A member of the body other than the history. */
function isOfBody(name: string, step: Step): boolean {
  return name !== "" && `${baseOf(step)}/${name}` !== step.request?.historyPointer;
}

function isAbout({ pointer, member }: RequestFault, name: string): boolean {
  return pointer.split("/")[1] === name || (pointer === "" && member === name);
}

/** The usual notation for `["messages", "3", "content"]`: `messages[3].content`. */
function pathOf(names: readonly string[]): string {
  return names
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join("")
    .replace(/^\./, "");
}

function inWords(seen: string): string {
  return /^(?:an?|the) /.test(seen) ? seen : `\`${short(textOf(seen) ?? seen, 40)}\``;
}

/** The text that was seen; `undefined` for other values. */
function textOf(seen: string | undefined): string | undefined {
  if (!seen?.startsWith('"')) return undefined;
  // A message has long values without their end.
  return seen.endsWith("…") ? seen.slice(1) : String(JSON.parse(seen));
}
