import { answerElsewhere } from "../conversation/answers.ts";
import { isCall, isResult, type Placed, type Step } from "../conversation/conversation.ts";
import type { Item, ToolCall, ToolResult } from "../conversation/item.ts";
import type { Finding } from "../findings/finding.ts";
import { fingerprintOf } from "../findings/fingerprint.ts";
import type { Block, PlainRound } from "../protocols/plain.ts";
import type { Protocol, Writing } from "../protocols/protocol.ts";
import { isSameCall, textRoundAt } from "../protocols/text-calls/index.ts";
import { valueAt } from "../reading/pointer.ts";
import { type Bench, createBench, type Mended } from "./bench.ts";
import { membersOf, withValueAt } from "./json.ts";
import { turnIn } from "./plain-turn.ts";
import type { Elements, Entry, Why } from "./target.ts";

/** Mends what can be seen in the request alone: types, ids, places, encodings. Restoring what is gone is another matter. */
type Repair = (bench: Bench, finding: Finding) => void;

const repairs: Readonly<Record<string, Repair>> = {
  "invalid-request": correctWords,
  "text-tool-call": makeCalls,
  "missing-output-type": addTypes,
  "call-id-mismatch": nameCalls,
  "duplicate-call-id": setCallsApart,
  "invalid-call-id": rewriteIds,
  "result-kind-mismatch": suitResults,
  "misplaced-tool-result": moveResults,
  "duplicate-tool-result": keepOneResult,
  "malformed-tool-result": writeResultsAsText,
  "misencoded-arguments": encodeArguments,
  "incomplete-arguments": wrapArguments,
  "empty-content": removeEmpty,
  "mixed-protocols": leaveOneForm,
  "bad-turn-order": settleTurns,
  "merged-or-split-turns": joinCalls,
  "refused-reasoning": removeReasoning,
  "dropped-reasoning": leaveReasoningEmpty,
  "resent-items": leaveOut,
  "unresolvable-reference": sendInFull,
  "unanswered-tool-call": closeCalls,
  "orphaned-tool-result": turnIntoText,
};

/** The order in which they are made: what a thing is, before where it stands, before what is taken away. */
const order = Object.keys(repairs);

export const localRules: ReadonlySet<string> = new Set(order);

export function repairLocally(
  step: Step,
  recorded: readonly Entry[],
  from: number,
  reasons: readonly Finding[],
  protocol: Protocol,
  elements: Elements,
): Mended {
  const bench = createBench(step, recorded, from, protocol, elements);
  const asked = reasons.filter(({ rule }) => localRules.has(rule));
  for (const finding of asked.sort((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule)))
    repairs[finding.rule]?.(bench, finding);
  return bench.done();
}

/** The items of the request that are not the parent's. */
function* newItems({ step, from }: Bench): Generator<Placed> {
  const history = step.request?.history;
  for (let element = from; history && element < history.length; element++)
    for (const item of history.items(element)) yield { item, step, part: "request", element };
}

/** The wire form of an item as it was recorded. */
function wireOf({ step, element, item }: Placed): unknown {
  return valueAt(step.request?.history.element(element).value, item.pointer);
}

function hasFlaw({ flaws }: Item, kind: string): boolean {
  return flaws?.some((flaw) => flaw.kind === kind) ?? false;
}

/** Writes what can only have been meant: the name of a member, a value of a closed list. */
function correctWords(bench: Bench, finding: Finding): void {
  const { history } = bench.step.request ?? {};
  const { form } = bench.step.exchange;
  const { member, meant, seen } = finding.data;
  for (let element = bench.from; history && element < history.length; element++) {
    for (const fault of form?.elementFaults(element, history) ?? []) {
      if (fault.kind !== finding.kind || (fault.member ?? "") !== member || (fault.seen ?? "") !== seen)
        continue;
      const value = bench.value(element);
      const there = valueAt(value, fault.pointer);
      if (fault.kind === "text" && typeof there === "string")
        bench.write(element, withValueAt(value, fault.pointer, there.replaceAll(/\p{Cs}/gu, "?")), {
          finding,
        });
      if (typeof meant !== "string") continue;
      if (fault.kind === "value") bench.write(element, withValueAt(value, fault.pointer, meant), { finding });
      const renamed = fault.kind === "unknown" && renamedMember(there, String(member), meant);
      if (renamed) bench.write(element, withValueAt(value, fault.pointer, renamed), { finding });
    }
  }
}

/** An object with one of its members under another name, in its place; `undefined` when both names are there, or neither is. */
function renamedMember(value: unknown, from: string, to: string): unknown {
  const members = membersOf(value);
  if (!members || !Object.hasOwn(members, from)) return undefined;
  const { [to]: known, ...others } = members;
  if (known !== undefined && known !== null) return undefined;
  return Object.fromEntries(Object.entries(others).map(([key, inner]) => [key === from ? to : key, inner]));
}

/** Makes structured calls of text that stands for them, and results of the text that tells them. */
function makeCalls(bench: Bench, finding: Finding): void {
  const { history, tools } = bench.step.request ?? {};
  const { demands, protocol } = bench.step.exchange;
  const isMadeUp = finding.fix?.safety === "inventing";
  for (let element = bench.from; history && element < history.length; element++) {
    const round = textRoundAt(history, element, tools);
    if (!round || (round.results.length + round.ids.length === 0) !== isMadeUp) continue;
    const rounds = round.calls.map((call, index): PlainRound => {
      const own = bench.step.missing.find((lost) => isCall(lost) && isSameCall(lost.item, call))?.item;
      const result = round.results[index] ?? (isMadeUp ? noResult : undefined);
      const idOf = (own?.kind === "call" ? own.id : undefined) ?? round.ids[index] ?? call.id;
      return {
        id: idOf ?? suitableId(`${element} ${call.name} ${call.argumentsText}`, demands),
        name: call.name,
        arguments: call.arguments,
        ...(result !== undefined && { result: { text: result, isError: false } }),
      };
    });
    const said: Block = { role: "assistant", parts: round.text === "" ? [] : [{ text: round.text }], rounds };
    const [first, ...others] = turnIn(protocol, said);
    if (first === undefined) continue;
    bench.write(element, first, { finding });
    for (const other of others) bench.insert(element, other, { finding });
    for (const told of round.told) {
      const [item] = history.items(told);
      if (item) bench.remove({ item, step: bench.step, part: "request", element: told }, { finding });
    }
  }
}

function addTypes(bench: Bench, finding: Finding): void {
  for (const placed of newItems(bench)) {
    const { item } = placed;
    if (!hasFlaw(item, "missing-type") || (item.kind !== "call" && item.kind !== "result")) continue;
    const pair = bench.step.pairing.pairs.find(({ result }) => result.item === item);
    bench.set(placed, "/type", pair && isResult(placed) ? answerType(pair.call.item, item) : item.wireType, {
      finding,
    });
  }
}

/** Each kind of call is answered by its own kind of output. */
function answerType({ wireType }: ToolCall, { wireType: fallback }: { readonly wireType: string }): string {
  return wireType.endsWith("_call") ? `${wireType}_output` : fallback;
}

function nameCalls(bench: Bench, finding: Finding): void {
  for (const { call, result } of bench.step.pairing.mismatches) {
    const id = call.item.id;
    const place = bench.protocol.places?.(wireOf(result)).resultId;
    if (id === undefined || !place || finding.data["seen"] !== (result.item.callId ?? "")) continue;
    bench.set(result, place, id, { finding, evidence: call });
  }
}

function setCallsApart(bench: Bench, finding: Finding): void {
  const { places } = bench.protocol;
  for (const { first, second } of bench.step.pairing.sharedIds) {
    const id = second.item.id ?? "";
    if (!places || finding.data["callId"] !== id) continue;
    if (finding.kind === "twice") {
      bench.remove(second, { finding, evidence: first });
      continue;
    }
    const pair = bench.step.pairing.pairs.find(({ call }) => call.item === second.item);
    const own = `${id}_2`;
    bench.set(second, places(wireOf(second)).callId, own, { finding });
    if (pair) bench.set(pair.result, places(wireOf(pair.result)).resultId, own, { finding });
  }
}

/** A new id is made of the old one, so that every request gets the same. */
function rewriteIds(bench: Bench, finding: Finding): void {
  const { places } = bench.protocol;
  const { demands } = bench.step.exchange;
  if (!places) return;
  if (finding.kind === "item" || finding.kind === "swapped") {
    for (const placed of newItems(bench))
      if (membersOf(wireOf(placed))?.["id"] === finding.data["seen"])
        bench.set(placed, "/id", undefined, { finding });
    return;
  }
  if (finding.kind === "missing") {
    for (const { call, result } of bench.step.pairing.mismatches) {
      if (call.item.id !== undefined || result.item.callId !== undefined) continue;
      const id = suitableId(`${call.element} ${call.item.name} ${call.item.argumentsText}`, demands);
      bench.set(call, places(wireOf(call)).callId, id, { finding });
      bench.set(result, places(wireOf(result)).resultId, id, { finding });
    }
    return;
  }
  for (const placed of newItems(bench)) {
    const { item } = placed;
    const id = isCall(placed) ? placed.item.id : isResult(placed) ? placed.item.callId : undefined;
    if (id === undefined || (!hasFlaw(item, "bad-id") && isSuitable(id, demands))) continue;
    const { callId, resultId } = places(wireOf(placed));
    bench.set(placed, isCall(placed) ? callId : resultId, suitableId(id, demands), { finding });
  }
}

type IdDemands = Step["exchange"]["demands"];

function isSuitable(id: string, { idPattern, maxIdLength = Number.POSITIVE_INFINITY }: IdDemands): boolean {
  return id !== "" && id.length <= maxIdLength && (!idPattern || idPattern.test(id));
}

function suitableId(id: string, demands: IdDemands): string {
  const mark = fingerprintOf(id);
  const clean = id.replaceAll(/[^\w-]/g, "_");
  const short = `${clean.slice(0, 20)}_${mark.slice(0, 8)}`;
  const candidates = [clean, short, `call_${mark}`, mark, mark.slice(0, 9)];
  return candidates.find((candidate) => isSuitable(candidate, demands)) ?? `call_${mark}`;
}

function suitResults(bench: Bench, finding: Finding): void {
  for (const { call, result, what } of bench.step.pairing.misnamed) {
    if (what !== finding.kind || finding.data["callId"] !== (call.item.id ?? "")) continue;
    const why = { finding, evidence: call };
    if (what === "kind") bench.set(result, "/type", answerType(call.item, result.item), why);
    else {
      const place = bench.protocol.places?.(wireOf(result)).resultName;
      if (place) bench.set(result, place, call.item.name, why);
    }
  }
}

/** A record of a session that has more to say than the message in it holds what was said at once: a result gets one of its own. */
function isEnveloped({ request }: Step, element: number): boolean {
  return request?.place.inRecord?.(`/${element}`)?.within.includes("/") === true;
}

/** Where the next reply of a session begins: what was said in another breath is no part of the turn, even when nothing stands between. */
function endOfReply(step: Step, element: number): number {
  let end = Number.POSITIVE_INFINITY;
  for (let each = step.exchange.told ? step : undefined; each; each = each.parent) {
    const length = each.request?.history.length ?? 0;
    if (length > element) end = Math.min(end, length);
  }
  return end;
}

/** The last element of the assistant turn that an element belongs to, and of the whole elements with results behind it. */
function endOfAnswers({ step, items, value }: Bench, element: number): number {
  const history = step.request?.history;
  let end = element;
  const limit = Math.min(history?.length ?? 0, endOfReply(step, element));
  while (history && end + 1 < limit && history.role(end + 1) === "assistant") end++;
  const isApart = isEnveloped(step, element);
  while (
    value(end + 1) !== undefined &&
    items(end + 1).length > 0 &&
    items(end + 1).every(({ kind, pointer }) => kind === "result" && (pointer === "" || isApart))
  )
    end++;
  return end;
}

/** The element of the user behind an assistant turn, where one is there and takes parts. */
function answeringElement(bench: Bench, element: number, list: string): number | undefined {
  const next = endOfAnswers(bench, element) + 1;
  const isUsers = bench.step.request && next < bench.step.request.history.length;
  return isUsers &&
    bench.step.request?.history.role(next) === "user" &&
    Array.isArray(valueAt(bench.value(next), list))
    ? next
    : undefined;
}

/** How many results stand at the beginning of a list of parts. */
function leadingResults(bench: Bench, element: number, list: string): number {
  const places = new Set(
    bench
      .items(element)
      .filter(({ kind, pointer }) => kind === "result" && pointer.startsWith(`${list}/`))
      .map(({ pointer }) => Number(pointer.slice(list.length + 1))),
  );
  let count = 0;
  while (places.has(count)) count++;
  return count;
}

function moveResults(bench: Bench, finding: Finding): void {
  for (const { call, result, between } of bench.step.pairing.misplaced) {
    if (finding.data["callId"] !== (call.item.id ?? "")) continue;
    const why = { finding, evidence: call };
    const { pointer } = result.item;
    if (pointer === "") {
      // Words of the model between two calls keep their place: the result goes right behind its own.
      const isSplit = between?.item.role === "assistant" && between.element > call.element;
      bench.move(result.element, isSplit ? call.element : endOfAnswers(bench, call.element), why);
      continue;
    }
    const isApart = isEnveloped(bench.step, result.element);
    if (isApart && bench.items(result.element).length === 1) {
      bench.move(result.element, endOfAnswers(bench, call.element), why);
      continue;
    }
    const list = pointer.slice(0, pointer.lastIndexOf("/"));
    const source = bench.value(result.element);
    if (source === undefined) continue;
    const target = isApart ? undefined : answeringElement(bench, call.element, list);
    const answers = bench.step.pairing.misplaced.filter((other) => other.result.element === result.element);
    // A message of nothing but results of one turn keeps its form.
    const isWhole = answers.length === bench.items(result.element).length && isOneTurn(bench, answers);
    if (target === undefined && isWhole) {
      bench.move(result.element, endOfAnswers(bench, call.element), why);
      continue;
    }
    if (target === undefined) {
      const taken = bench.remove(result, why);
      if (taken !== undefined)
        bench.insert(endOfAnswers(bench, call.element), withValueAt(source, list, [taken]), why);
      continue;
    }
    if (target < bench.from) continue;
    // The only part of its element leaves it empty: then the whole element is in the way, and goes.
    const taken = bench.remove(result, why);
    if (taken !== undefined && bench.value(target) === undefined)
      bench.insert(target, withValueAt(source, list, [taken]), why);
    else if (taken !== undefined) bench.add(target, list, leadingResults(bench, target, list), taken, why);
  }
}

/** All these results answer calls of the same turn. */
function isOneTurn(bench: Bench, answers: readonly { readonly call: Placed }[]): boolean {
  return new Set(answers.map(({ call }) => endOfAnswers(bench, call.element))).size === 1;
}

function keepOneResult(bench: Bench, finding: Finding): void {
  for (const { call, first, second } of bench.step.pairing.duplicates) {
    if (finding.data["callId"] !== (call.item.id ?? "")) continue;
    const isFirstStub = finding.data["drops"] === "first";
    bench.remove(isFirstStub ? first : second, { finding, evidence: isFirstStub ? second : first });
  }
}

function writeResultsAsText(bench: Bench, finding: Finding): void {
  const { writes } = bench.protocol;
  for (const placed of newItems(bench)) {
    const flaw = placed.item.flaws?.find(({ kind }) => kind === "bad-content");
    if (!flaw || !writes || !isResult(placed)) continue;
    const at = bench.at(placed);
    if (at === undefined) continue;
    const pointer = `${at}${flaw.pointer.slice(placed.item.pointer.length)}`;
    const whole = bench.value(placed.element);
    const text = writes.content(valueAt(whole, pointer));
    bench.write(placed.element, withValueAt(whole, pointer, text), { finding });
  }
}

function encodeArguments(bench: Bench, finding: Finding): void {
  const { places } = bench.protocol;
  const isText = bench.step.exchange.demands.argumentsAre === "text";
  for (const placed of newItems(bench)) {
    const { item } = placed;
    if (item.kind !== "call" || !places) continue;
    const isAsked = finding.data["callId"] === item.id && finding.data["tool"] === item.name;
    if (!isAsked && !hasFlaw(item, "arguments-type")) continue;
    const place = places(wireOf(placed)).callArguments;
    const value = valueAt(wireOf(placed), place);
    const once = finding.kind === "double" ? decoded(value) : value;
    const wanted = isText ? asText(once) : asObject(once);
    if (wanted !== undefined && wanted !== value) bench.set(placed, place, wanted, { finding });
  }
}

/** What cannot be read stays readable: servers parse the arguments of every call that they are sent. */
function wrapArguments(bench: Bench, finding: Finding): void {
  const { places } = bench.protocol;
  for (const placed of newItems(bench)) {
    if (!isCall(placed) || !places || finding.data["callId"] !== placed.item.id) continue;
    const { arguments: read, argumentsText, isJson } = placed.item;
    if (!isJson || read !== undefined || argumentsText.trim() === "") continue;
    const wrapped = JSON.stringify({ unreadable: argumentsText });
    bench.set(placed, places(wireOf(placed)).callArguments, wrapped, { finding });
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

/** Nothing, as a model calls a tool without parameters, is an object with nothing in it. */
function asObject(value: unknown): unknown {
  const read = decoded(value);
  return read === null ? {} : read;
}

function decoded(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function removeEmpty(bench: Bench, finding: Finding): void {
  const wanted = { text: "empty-text", blank: "blank-text", message: "empty-message", calls: "empty-calls" };
  const kind = (wanted as Readonly<Record<string, string>>)[finding.kind] ?? "";
  // From the end: what stands before keeps its place.
  for (const placed of [...newItems(bench)].reverse()) {
    const flaw = placed.item.flaws?.find((found) => found.kind === kind);
    if (!flaw) continue;
    if (kind === "empty-calls")
      bench.write(placed.element, withValueAt(bench.value(placed.element), flaw.pointer, undefined), {
        finding,
      });
    else {
      const at = bench.at(placed) ?? "";
      const mark = membersOf(bench.remove(placed, { finding }))?.["cache_control"];
      if (mark !== undefined) markBefore(bench, placed.element, at, mark, finding);
    }
  }
}

/** The mark that the cache ends here, on the part before the one that stood at a place. */
function markBefore(bench: Bench, element: number, at: string, mark: unknown, finding: Finding): void {
  const slash = at.lastIndexOf("/");
  const before = `${at.slice(0, slash)}/${Number(at.slice(slash + 1)) - 1}`;
  const part = membersOf(valueAt(bench.value(element), before));
  // Thinking takes no mark.
  if (!part || part["cache_control"] !== undefined || /thinking/.test(String(part["type"]))) return;
  const marked = withValueAt(bench.value(element), `${before}/cache_control`, mark);
  bench.write(element, marked, { finding });
}

/** Of two forms of the same call, the one that this API has stays. */
function leaveOneForm(bench: Bench, finding: Finding): void {
  const { pointer } = finding.locus;
  const base = bench.step.request?.historyPointer ?? "";
  for (const { element, item } of newItems(bench)) {
    const flaw = item.flaws?.find(({ kind }) => kind === "other-protocol");
    const isHere =
      finding.locus.exchange !== bench.step.exchange || pointer === `${base}/${element}${flaw?.pointer}`;
    if (!flaw || !isHere || (flaw.detail !== undefined && flaw.detail !== finding.data["form"])) continue;
    bench.write(element, withValueAt(bench.value(element), flaw.pointer, undefined), { finding });
  }
}

function settleTurns(bench: Bench, finding: Finding): void {
  const { history, historyPointer = "" } = bench.step.request ?? {};
  const { role, meant } = finding.data;
  if (finding.kind === "unknown") {
    for (let index = bench.from; history && meant !== undefined && index < history.length; index++)
      if (membersOf(bench.value(index))?.["role"] === role)
        bench.write(index, withValueAt(bench.value(index), "/role", meant), { finding });
    return;
  }
  const element = Number(finding.locus.pointer.slice(historyPointer.length + 1).split("/")[0]);
  const [item] = history && element >= bench.from && element < history.length ? history.items(element) : [];
  if (!item || finding.locus.exchange !== bench.step.exchange) return;
  const placed: Placed = { item, step: bench.step, part: "request", element };
  const value = bench.value(element);
  if (finding.kind === "space") {
    const place = [item.pointer, `${item.pointer}/text`, `${item.pointer}/content`].find(
      (pointer) => typeof valueAt(value, pointer) === "string",
    );
    const text = place === undefined ? undefined : valueAt(value, place);
    if (place !== undefined && typeof text === "string")
      bench.set(placed, place.slice(item.pointer.length), text.trimEnd(), { finding });
  } else if (finding.kind === "system") bench.move(element, -1, { finding });
  else {
    const joined = joinedWords(bench.value(element - 1), value);
    if (joined === undefined || element - 1 < bench.from) return;
    bench.write(element - 1, joined, { finding });
    for (const each of history?.items(element) ?? [])
      bench.remove({ item: each, step: bench.step, part: "request", element }, { finding });
  }
}

/** Two messages as one; `undefined` where their contents have no form in common. */
function joinedWords(first: unknown, second: unknown): unknown {
  for (const key of ["content", "parts"]) {
    const [a, b] = [membersOf(first)?.[key], membersOf(second)?.[key]];
    if (typeof a === "string" && typeof b === "string") return withValueAt(first, `/${key}`, `${a}\n\n${b}`);
    if (Array.isArray(a) && Array.isArray(b)) return withValueAt(first, `/${key}`, [...a, ...b]);
  }
  return undefined;
}

/** Brings the calls of one reply together behind the first of them. */
function joinCalls(bench: Bench, finding: Finding): void {
  if (finding.kind !== "split") return;
  const calls = bench.step.echoes
    .flatMap(({ after }) => (isCall(after) && !after.item.isHosted ? [after] : []))
    .sort((a, b) => a.element - b.element);
  const [first, ...others] = calls;
  if (!first) return;
  const slash = first.item.pointer.lastIndexOf("/");
  const list = first.item.pointer.slice(0, Math.max(0, slash));
  for (const call of others) {
    if (call.element === first.element) continue;
    if (call.item.pointer === "") {
      bench.move(call.element, first.element, { finding });
      continue;
    }
    const taken = bench.remove(call, { finding });
    const held = valueAt(bench.value(first.element), list);
    if (taken !== undefined && Array.isArray(held))
      bench.add(first.element, list, held.length, taken, { finding });
  }
}

function removeReasoning(bench: Bench, finding: Finding): void {
  for (const placed of [...newItems(bench)].reverse()) {
    const { item } = placed;
    if (item.kind !== "reasoning") continue;
    const isMeant =
      finding.kind === "member"
        ? item.pointer.endsWith(`/${String(finding.data["member"])}`)
        : finding.kind === "last" || finding.kind === "inSession" || item.seal !== undefined;
    if (isMeant) bench.remove(placed, { finding });
  }
}

/** Says that there was no reasoning, in the member in which the client writes it: what was there nobody knows. */
function leaveReasoningEmpty(bench: Bench, finding: Finding): void {
  const { member, element } = finding.data;
  if (finding.fix?.safety !== "inventing" || typeof member !== "string" || typeof element !== "number")
    return;
  const value = bench.value(element);
  const items = bench.items(element);
  const isBare = items.some(({ kind }) => kind === "call") && items.every(({ kind }) => kind !== "reasoning");
  if (isBare) bench.write(element, withValueAt(value, `/${member}`, ""), { finding });
}

function leaveOut(bench: Bench, finding: Finding): void {
  const id = finding.data["itemId"];
  if (id === undefined) return;
  const same = [...newItems(bench)].filter((placed) => membersOf(wireOf(placed))?.["id"] === id);
  for (const placed of finding.kind === "twice" ? same.slice(1) : same) bench.remove(placed, { finding });
}

/** A reference to something that only the log holds is replaced by it. */
function sendInFull(bench: Bench, finding: Finding): void {
  const id = finding.data["id"];
  const made = bench.step.conversation.steps.find(
    ({ exchange, reply }) =>
      exchange.position < bench.step.exchange.position &&
      reply?.writings?.[0]?.some((value) => membersOf(value)?.["id"] === id),
  );
  const full = made?.reply?.writings?.[0]?.find((value) => membersOf(value)?.["id"] === id);
  const item = made?.reply?.items.find((other) => "id" in other && other.id === id);
  if (!made || full === undefined) return;
  for (const placed of newItems(bench)) {
    if (placed.item.pointer !== "" || membersOf(wireOf(placed))?.["id"] !== id) continue;
    bench.write(placed.element, full, {
      finding,
      evidence: item && { item, step: made, part: "response", element: -1 },
    });
  }
}

/** What stands in place of a result that nobody kept; whoever reads it can tell that it was put in. */
const noResult = "[No result of this call was kept. Added by toollint fix.]";

function closeCalls(bench: Bench, finding: Finding): void {
  const { writes } = bench.protocol;
  const isKept = finding.fix?.safety === "safe";
  for (const call of bench.step.pairing.unanswered) {
    const answer = answerElsewhere(bench.step.conversation, call);
    const isMeant = finding.data["callId"] === (call.item.id ?? call.item.name);
    if (!isMeant || isKept !== (answer !== undefined) || bench.answered.has(call.item)) continue;
    bench.answered.add(call.item);
    const closed = call.part === "request" && !answer && writes?.closed?.(wireOf(call), noResult);
    if (closed) {
      bench.set(call, "", closed, { finding });
      continue;
    }
    const writing = answer ? writingOf(answer) : writes?.result(call.item, noResult);
    if (!writing) continue;
    const { element, part } = writing;
    const why: Why = answer ? { finding, evidence: answer } : { finding };
    if (call.part === "response") {
      // The server holds the call: its result comes first.
      if (finding.kind === "inChain") bench.insert(-1, element, { finding, evidence: call });
      continue;
    }
    if (call.element < bench.from || (answer && callByItsId(bench, call, answer, why))) continue;
    const isApart = isEnveloped(bench.step, call.element);
    const target = part && !isApart ? answeringElement(bench, call.element, part.list) : undefined;
    if (part && target !== undefined && bench.value(target) !== undefined)
      bench.add(target, part.list, leadingResults(bench, target, part.list), part.value, why);
    else if (isApart || !part || !bench.join(endOfAnswers(bench, call.element), part.list, part.value, why))
      bench.insert(endOfAnswers(bench, call.element), element, why);
  }
}

/** Where the very result stands under an id that no call has, it only needs its own. */
function callByItsId(bench: Bench, call: Placed<ToolCall>, answer: Placed<ToolResult>, why: Why): boolean {
  const orphan = bench.step.pairing.orphans.find(
    ({ result, lostCall }) => !lostCall && result.item.text.trim() === answer.item.text.trim(),
  )?.result;
  const place = orphan && bench.protocol.places?.(wireOf(orphan)).resultId;
  if (!orphan || !place || orphan.element < bench.from || call.item.id === undefined) return false;
  const isTaken = bench
    .items(orphan.element)
    .every((item) => item.kind !== "result" || item.callId !== orphan.item.callId);
  if (isTaken) return false;
  bench.set(orphan, place, call.item.id, why);
  return true;
}

/** A result as another request holds it. */
function writingOf(answer: Placed<ToolResult>): Writing {
  const element = answer.step.request?.history.element(answer.element).value;
  const { pointer } = answer.item;
  if (pointer === "") return { element };
  const list = pointer.slice(0, pointer.lastIndexOf("/"));
  const value = valueAt(element, pointer);
  return { element: withValueAt(element, list, [value]), part: { list, value } };
}

/** The words of a result stay: they may be all that tells what was done. */
function turnIntoText(bench: Bench, finding: Finding): void {
  const { writes } = bench.protocol;
  if (!writes || finding.fix?.safety !== "lossy") return;
  for (const { result } of bench.step.pairing.orphans) {
    const pointer = bench.at(result);
    if (result.element < bench.from || pointer === undefined) continue;
    if (finding.data["callId"] !== (result.item.callId ?? "")) continue;
    const { element, part } = writes.text(toldAs(result), bench.value(result.element));
    if (pointer === "") bench.write(result.element, element, { finding });
    else if (part) {
      const list = pointer.slice(0, pointer.lastIndexOf("/"));
      const whole = bench.value(result.element);
      const held = valueAt(whole, list);
      if (!Array.isArray(held)) continue;
      const index = Number(pointer.slice(list.length + 1));
      // Results come first in such a message, words behind them.
      const rest = held.filter((_, place) => place !== index);
      bench.write(result.element, withValueAt(whole, list, [...rest, part.value]), { finding });
    }
  }
}

function toldAs({ item }: Placed<ToolResult>): string {
  const of = [item.name, item.callId].filter((word) => word !== undefined).join(", ");
  return `[Result of a tool call that is not in this history${of && ` (${of})`}]\n${item.text}`;
}
