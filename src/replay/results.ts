import type { Conversation } from "../conversation/conversation.ts";
import { callText, canonical } from "../conversation/identity.ts";
import type { ToolCall } from "../conversation/item.ts";
import { pointerToken } from "../reading/pointer.ts";

/** What a tool returned. */
export interface RecordedResult {
  readonly text: string;
  readonly isError?: boolean;
}

/** The recorded call that is most similar to the requested one. */
export interface NearMiss {
  /** The recorded arguments. */
  readonly arguments: unknown;
  /** RFC 6901 pointers to the arguments that differ, with both values; a missing value is `undefined`. */
  readonly differences: readonly {
    readonly pointer: string;
    readonly recorded: unknown;
    readonly asked: unknown;
  }[];
  /** How many recorded calls of this tool were compared. */
  readonly considered: number;
}

/** The log's results by call. Tools are never run: an unknown call stays unanswered. */
export interface ResultBook {
  /** The result of the same tool and arguments. Several are given in order; then the last one repeats. */
  answer(call: ToolCall): RecordedResult | undefined;
  /** The recorded call of the same tool with the fewest differences; `undefined` when there is none. */
  nearest(call: ToolCall): NearMiss | undefined;
}

/** @param files results by tool name for any arguments; they take precedence over the log's */
export function resultBook(
  conversations: readonly Conversation[],
  files: ReadonlyMap<string, string> = new Map(),
): ResultBook {
  const results = new Map<string, RecordedResult[]>();
  const calls = new Map<string, ToolCall[]>();
  for (const { steps } of conversations) {
    for (const { pairing } of steps) {
      for (const { call, result } of pairing.pairs) {
        const key = callText(call.item);
        const { text, isError } = result.item;
        const known = results.get(key);
        const one = { text, ...(isError === undefined ? {} : { isError }) };
        if (known) known.push(one);
        else {
          results.set(key, [one]);
          calls.set(call.item.name, [...(calls.get(call.item.name) ?? []), call.item]);
        }
      }
    }
  }
  const given = new Map<string, number>();
  return {
    answer(call) {
      const file = files.get(call.name);
      if (file !== undefined) return { text: file };
      const key = callText(call);
      const known = results.get(key);
      const turn = given.get(key) ?? 0;
      given.set(key, turn + 1);
      return known?.[Math.min(turn, known.length - 1)];
    },
    nearest(call) {
      const candidates = calls.get(call.name) ?? [];
      const misses = candidates.map((candidate) => ({
        arguments: argumentsOf(candidate),
        differences: differencesOf(argumentsOf(candidate), argumentsOf(call)),
        considered: candidates.length,
      }));
      return misses.sort((a, b) => a.differences.length - b.differences.length)[0];
    },
  };
}

function argumentsOf(call: ToolCall): unknown {
  return call.arguments === undefined ? call.argumentsText : call.arguments;
}

function differencesOf(
  recorded: unknown,
  asked: unknown,
  pointer = "",
  depth = 0,
): NearMiss["differences"][number][] {
  if (canonical(recorded) === canonical(asked)) return [];
  const isDeep =
    depth < 32 && isMembers(recorded) && isMembers(asked) && Array.isArray(recorded) === Array.isArray(asked);
  if (!isDeep) return [{ pointer, recorded, asked }];
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(asked)])];
  return keys.flatMap((key) =>
    differencesOf(own(recorded, key), own(asked, key), `${pointer}/${pointerToken(key)}`, depth + 1),
  );
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function own(members: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}
