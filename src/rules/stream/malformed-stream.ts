import type { Step } from "../../conversation/conversation.ts";
import type { ReplyFlaw } from "../../conversation/reply.ts";
import { clientCalls } from "../../conversation/reply-followups.ts";
import { groupBy } from "../../reading/group-by.ts";
import { isFields } from "../../reading/values.ts";
import { defineRule } from "../rule.ts";
import { short } from "../words.ts";

type Kind = "framing" | "ids" | "fragments" | "ending" | "early" | "keys" | "begun";

const kinds: Readonly<Record<ReplyFlaw["kind"], Kind>> = {
  "cut-frame": "framing",
  "unseparated-frames": "framing",
  "changed-reply-id": "framing",
  "missing-id": "ids",
  "empty-id": "ids",
  "changed-id": "ids",
  "missing-index": "fragments",
  "repeated-index": "fragments",
  "missing-name": "fragments",
  "repeated-name": "fragments",
  "missing-arguments": "fragments",
  "begun-arguments": "begun",
  "closed-block": "fragments",
  "unplaced-fragment": "fragments",
  "delta-mismatch": "fragments",
  "no-finish-reason": "ending",
  "ended-early": "early",
  "missing-keys": "keys",
};

interface Facts {
  readonly detail: string;
  readonly flaws: readonly string[];
}

export default defineRule({
  name: "malformed-stream",
  summary: "A stream or reply that breaks the API's format",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  follows: [
    { rules: ["stream-error"], by: "exchange" },
    // What a part of a stream shows is not due to what it lacks.
    { rules: ["truncated-stream"], by: "exchange", kinds: ["call", "items", "nothing"], except: ["begun"] },
    { rules: ["lost-fragments"], by: "exchange", kinds: ["apart"] },
  ],
  messages: {
    framing: ({ detail }: Facts) => `the server frames the stream wrongly: ${detail}`,
    ids: ({ detail }: Facts) => `the server sends a call without a usable id: ${detail}`,
    fragments: ({ detail }: Facts) => `the server's fragments of a call do not fit together: ${detail}`,
    ending: ({ detail }: Facts) => `the server does not say why the reply ends: ${detail}`,
    early: ({ detail }: Facts) => `the server ends the reply in the middle of a call: ${detail}`,
    begun: ({ detail }: Facts) =>
      `the server begins a call's arguments with an empty object and goes on after it: \`${detail}\``,
    keys: ({ detail }: Facts) => `the server's reply lacks a required field: ${detail}`,
  },

  habit: {
    title: "The server breaks the format of its own stream",
    consequence: "So clients may assemble the calls wrongly or lose them",
    change:
      "update the server or the proxy in front of it; until then, let the client pair fragments by id, or by order where they have none",
    changeIn: "server",
  },
  kindHabits: {
    early: {
      title: "The server ends a reply before all of it has come",
      consequence: "So a client that stops at the first stop reason runs a call without its arguments",
      change:
        "send the stop reason once, with the last chunk; until then, let the client read the stream to its end",
      changeIn: "server",
    },
    begun: {
      title: "The server begins the arguments of a call with `{}`",
      consequence: "So what its fragments add up to is not JSON, and no client can parse it",
      change:
        "where one API's stream is converted into another's, begin each call with empty arguments: the `{}` at the start of a block is only a placeholder; until then, let the client drop an empty object that more text follows",
      changeIn: "server",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply, exchange } = step;
      if (!reply || exchange.isCut) continue;
      const callIds = clientCalls(step).flatMap(({ item }) => item.id ?? []);
      const own = reply.flaws.map((flaw) =>
        isHarmlessHere(step, flaw) ? { ...flaw, isHarmless: true } : flaw,
      );
      for (const [kind, flaws] of groupBy(own, (flaw) => kinds[flaw.kind])) {
        const first = flaws.find(({ isHarmless }) => !isHarmless) ?? (flaws[0] as ReplyFlaw);
        const at = {
          step,
          part: "response" as const,
          pointer: first.pointer,
          ...(first.extent && { extent: first.extent }),
        };
        const names = [...new Set(flaws.map((flaw) => flaw.kind))];
        const others = flaws.filter((flaw) => flaw.kind !== first.kind);
        const more = others[0] ? short(others[0].detail, 80) : "more of it";
        const detail = `${short(first.detail, 120)}${flaws.length > 1 ? `; ${more}` : ""}`;
        yield report(kind, { detail, flaws: names }, at, {
          severity: first.isHarmless ? "info" : "warning",
          // A server makes the same mistake in every reply.
          identity: `${first.kind} ${first.isHarmless}`,
          callIds,
        });
      }
    }
  },
});

/** The log shows that nothing was lost: the call needs no arguments, or the client kept the whole reply. */
function isHarmlessHere(step: Step, { kind, pointer }: ReplyFlaw): boolean {
  if (kind === "missing-arguments") return isOfToolWithoutArguments(step, pointer);
  return kind === "no-finish-reason" && isTakenForWhole(step);
}

/** A later request continues after the reply, with all of its calls and their results. */
function isTakenForWhole(step: Step): boolean {
  const calls = clientCalls(step);
  return step.children.some(
    ({ relation, echoes, pairing }) =>
      relation === "continuation" &&
      calls.every(({ item }) => pairing.pairs.some(({ call }) => call.item.id === item.id)) &&
      echoes.length > 0,
  );
}

/** A reply alone does not tell what its tools need. */
function isOfToolWithoutArguments({ request, reply }: Step, pointer: string): boolean {
  if (!request) return true;
  const call = reply?.items.find((item) => item.kind === "call" && item.pointer === pointer);
  const tool = request.tools?.find(({ name }) => call?.kind === "call" && name === call.name);
  const required = isFields(tool?.parameters) ? tool.parameters["required"] : undefined;
  return tool !== undefined && !(Array.isArray(required) && required.length > 0);
}
