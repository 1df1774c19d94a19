import type { Step } from "../conversation/conversation.ts";
import type { Finding } from "../findings/finding.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { plainText } from "../reading/escapes.ts";
import { parseJson } from "../reading/parse.ts";
import { valueAt } from "../reading/pointer.ts";
import { membersOf } from "./json.ts";
import type { FixReason, FixTarget, HistoryEntry, RequestMember } from "./target.ts";

/** Rules about members of a request outside its history. */
export const memberRules: ReadonlySet<string> = new Set(["dropped-system-prompt", "dropped-tools"]);

/**
 * The members that a request lacks although its parent had them, or should have had them. They are restored
 * where a finding says so, and in all later requests that still lack them.
 */
export function restoredMembers(
  step: Step,
  parent: Step,
  before: FixTarget | undefined,
  reasons: readonly Finding[],
  protocol: Protocol,
): RequestMember[] {
  const asked = reasons.filter(({ rule }) => memberRules.has(rule));
  if (asked.length === 0 && !before?.members?.length) return [];
  const own = bodyOf(step);
  const base = bodyBase(step);
  const here = membersOf(valueAt(own, base)) ?? {};
  const kept = (before?.members ?? []).filter(({ key, isGone }) => !isGone && !Object.hasOwn(here, key));
  const there = membersOf(valueAt(bodyOf(parent), bodyBase(parent))) ?? {};
  const found = asked.flatMap((finding) =>
    keysOf(finding, protocol).flatMap((key): RequestMember[] =>
      Object.hasOwn(there, key) && isMissing(here[key])
        ? [
            {
              key,
              pointer: `${base}/${key}`,
              value: there[key],
              isThere: Object.hasOwn(here, key),
              finding,
              source: parent,
            },
          ]
        : [],
    ),
  );
  return [...kept.map((member) => ({ ...member, pointer: `${base}/${member.key}` })), ...found];
}

/** The member that turns thinking on, to be removed if its turn can only continue without thinking. */
export function thinkingMembers(step: Step, reasons: readonly Finding[]): RequestMember[] {
  const finding = reasons.find(isAboutThinking);
  const key = step.exchange.demands.thinkingKey;
  const here = membersOf(valueAt(bodyOf(step), bodyBase(step)));
  if (!finding || key === undefined || !here || !Object.hasOwn(here, key)) return [];
  const pointer = `${bodyBase(step)}/${key}`;
  return [{ key, pointer, value: here[key], isGone: true, isThere: true, finding, source: step }];
}

/** Whether the fix of a finding turns thinking off. */
export function isAboutThinking({ rule, fix }: Finding): boolean {
  return rule === "dropped-reasoning" && fix?.safety === "lossy";
}

function keysOf({ rule }: Finding, { promptKeys = [], toolKeys = [] }: Protocol): readonly string[] {
  return rule === "dropped-tools" ? toolKeys : promptKeys;
}

function isMissing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

/** The pointer to the object that contains the history. */
export function bodyBase({ request }: Step): string {
  return request?.historyPointer.replace(/\/[^/]*$/, "") ?? "";
}

function bodyOf({ request }: Step): unknown {
  if (!request || request.isBare) return undefined;
  const { view, start, end, level } = request.place.span;
  const bytes = view.read(start, end);
  return parseJson(plainText(bytes, 0, bytes.length, level));
}

/** Restores system prompts at the beginning of the history. */
export function withPrompt(
  entries: readonly HistoryEntry[],
  step: Step,
  parent: Step,
  reasons: readonly Finding[],
): HistoryEntry[] {
  const finding = reasons.find(({ rule }) => rule === "dropped-system-prompt");
  const history = parent.request?.history;
  if (!finding || !history || parent.request?.system !== step.request?.system) return [...entries];
  let prompts = 0;
  while (prompts < history.length && history.role(prompts) === "system") prompts++;
  const whys: FixReason[] = [{ finding }];
  return [
    ...Array.from({ length: prompts }, (_, element) => ({
      element: history.element(element),
      copyOf: { step: parent, element },
      whys,
    })),
    ...entries,
  ];
}
