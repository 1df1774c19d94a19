import type { CheckedRun } from "../check/check.ts";
import type { Step } from "../conversation/conversation.ts";
import type { Exchange, Request } from "../conversation/exchange.ts";
import type { Item } from "../conversation/item.ts";
import { protocols } from "../protocols/index.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { historyEdits, memberEdits } from "./edits.ts";
import type { FixedRequest } from "./fixed-logs.ts";
import { isLink, withoutLink } from "./in-full.ts";
import { isAboutThinking } from "./members.ts";
import type { FixSettings } from "./settings.ts";
import {
  type FixReason,
  type FixTarget,
  type HistoryEntry,
  historyWith,
  type RequestMember,
} from "./target.ts";

export const protocolsByName: ReadonlyMap<string, Protocol> = new Map(
  protocols.map((protocol) => [protocol.name, protocol]),
);

/** The items of an element of a history in the form of an exchange. */
export function elementItems({ protocol }: Exchange, value: unknown): readonly Item[] {
  return protocolsByName.get(protocol)?.decodeElement(value).items ?? [];
}

/** What the passes have made of one request so far. */
export interface FixState {
  /** The step in the form of the entries, where that differs from its protocol's form. */
  readonly step?: Step;
  readonly protocol?: Protocol | undefined;
  readonly entries: readonly HistoryEntry[];
  readonly removals: readonly FixReason[];
  readonly members: readonly RequestMember[];
}

/** What became of requests, by position. */
export type FixStates = ReadonlyMap<number, FixState>;

/** A later pass's result, expressed in terms of the recorded history. */
export function composed(
  state: FixState | undefined,
  { entries, removals, members = [] }: FixTarget,
): FixState {
  if (!state) return { entries, removals, members };
  const kept = new Set(entries.map(({ recorded }) => recorded));
  // An element that an earlier pass changed and this one removed: the log has lost what both did to it.
  const gone = state.entries.filter(({ recorded }, index) => recorded !== undefined && !kept.has(index));
  return {
    members: [...state.members, ...members],
    removals: [...state.removals, ...gone.flatMap(({ whys }) => whys), ...removals],
    entries: entries.map((entry): HistoryEntry => {
      const { recorded, copyOf, ...rest } = entry;
      const before = recorded === undefined ? undefined : state.entries[recorded];
      if (!before) return recorded === undefined ? entry : { ...rest };
      const isSame = before.element === entry.element;
      return {
        element: entry.element,
        ...(before.recorded !== undefined && { recorded: before.recorded }),
        ...(isSame && before.copyOf && { copyOf: before.copyOf }),
        whys: [...before.whys, ...entry.whys],
      };
    }),
  };
}

/** An exchange with its fixed history. */
export function fixedExchange(exchange: Exchange, state: FixState | undefined): Exchange {
  const protocol = protocolsByName.get(exchange.protocol);
  if (!state || !exchange.request || !protocol) return exchange;
  const { request } = exchange;
  const sources = state.members.flatMap(({ source, isGone }) => (isGone ? [] : [source.request]));
  const isUnlinked = state.members.some(isLink);
  const isThoughtless = state.members.some(({ finding, isGone }) => isGone && isAboutThinking(finding));
  const { system } = sources.find((source) => source?.system !== undefined) ?? request;
  const { tools } = sources.find((source) => source?.tools?.length) ?? request;
  return {
    ...exchange,
    request: {
      ...request,
      history: historyWith(state.entries, protocol),
      system: request.system ?? system,
      tools: request.tools?.length ? request.tools : tools,
      ...(isUnlinked && { links: withoutLink(request.links) }),
      ...(isThoughtless && { settings: withoutReasoning(request.settings) }),
    },
  };
}

function withoutReasoning({ reasoning: _, ...settings }: Request["settings"]): Request["settings"] {
  return settings;
}

/** Every reason for a change of the request. */
export function whysOf({ entries, removals, members }: FixState): FixReason[] {
  return [...new Set<FixReason>([...removals, ...entries.flatMap(({ whys }) => whys), ...members])];
}

/** The requests that change, in the order of the run, as far as the settings select them. */
export function requestsOf(
  run: CheckedRun,
  states: FixStates,
  { exchanges, conversation }: FixSettings,
): FixedRequest[] {
  return run.conversations
    .flatMap(({ name, steps }) => (conversation === undefined || name === conversation ? steps : []))
    .filter(({ exchange: { number } }) => !exchanges || (number >= exchanges.from && number <= exchanges.to))
    .sort((a, b) => a.exchange.position - b.exchange.position)
    .flatMap((recorded): FixedRequest[] => {
      const state = states.get(recorded.exchange.position);
      if (!state) return [];
      const { step = recorded, protocol } = state;
      const edits = [...historyEdits(step, state.entries, protocol), ...memberEdits(state.members)];
      if (edits.length === 0) return [];
      return [
        {
          exchange: step.exchange,
          step,
          entries: state.entries,
          members: state.members,
          edits,
          whys: whysOf(state),
        },
      ];
    });
}
