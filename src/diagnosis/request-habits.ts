import type { Habit } from "./habit.ts";

/** What clients do wrong in the requests they send: histories, ids, arguments, results. */
export const requestHabits: Readonly<Record<string, Habit>> = {
  // History
  "orphaned-tool-result": {
    title: "The client sends tool results that answer no open call",
    consequence:
      "So the model cannot tell what these results answer, and a strict provider refuses the request",
    change: ({ idiom }) =>
      `send the reply that made the call right before its result, and when old history is cut, cut calls and results together: ${idiom.append}`,
  },
  "orphaned-tool-result/cut": {
    title: "The client cuts the history between a call and its result",
    consequence:
      "So the model sees a result without knowing what was asked, and a strict provider refuses the request",
    change: "cut old history only in front of a user message, so that calls and results go together",
  },
  "dropped-tool-call": {
    title: "The client leaves the model's tool calls out of the history",
    consequence: "So the model does not know that it made these calls, and usually makes them again",
    change: ({ idiom }) => `keep the whole reply in the history, before its results: ${idiom.append}`,
  },
  "dropped-tool-call/withoutResult": {
    title: ({ isFromStart }) =>
      isFromStart
        ? "The client overlooks the model's tool calls"
        : "The client overlooks the tool calls of later replies",
    consequence: ({ isFromStart }) =>
      isFromStart
        ? "So no tool ran, and the model does not even see that it asked for one, and usually asks again"
        : "So these tools never ran, and the model does not even see that it asked for them",
    change: ({ isFromStart, idiom }) =>
      isFromStart
        ? `look for calls in every reply, in a stream by putting their pieces together to its end; run them, and append reply and results: ${idiom.append}`
        : `run the calls of every reply, not only of the first one, and append reply and results each time: ${idiom.append}`,
  },
  "dropped-tool-call/parallel": {
    title: "The client leaves out some of the calls that the model makes at once",
    consequence: "So the model does not know that it made these calls, and has no results for them",
    change: ({ idiom }) =>
      `run all calls of a reply, and send the reply back whole, with a result for each call: ${idiom.append}`,
  },
  "unanswered-tool-call": {
    title: "The client goes on without answering every tool call",
    consequence:
      "So the model never saw what these calls returned, and a strict provider refuses the request",
    change: ({ idiom }) =>
      `send one result for every call of a reply, also when the tool failed or was refused: ${idiom.result}`,
  },
  "missing-output-type": {
    title: "The client sends tool results without `type`",
    consequence: "So the results are not read as results, and the model never saw what its tools returned",
    change: 'give every result its type: `{ type: "function_call_output", call_id: call.call_id, output }`',
  },
  "missing-output-type/call": {
    title: "The client sends the model's tool calls back without `type`",
    consequence: "So the calls are not read as calls, and their results stand alone",
    change: ({ idiom }) => `send the items of the reply back as they came: ${idiom.append}`,
  },
  "dropped-turns": {
    title: ({ isHabit }) =>
      isHabit
        ? "The client rebuilds the history in every request, so that earlier rounds are lost"
        : "The client leaves earlier rounds out of the history",
    consequence: "So the model no longer knew what it had already seen and done",
    change: ({ idiom }) => `append to one list, never rebuild it: ${idiom.append}`,
  },
  "dropped-turns/older": {
    title: "The client cuts older turns out of the history",
    consequence: "So the model no longer knew what had been said in them",
    change: "keep older turns while they fit; where they have to go, put a summary in their place",
  },
  "dropped-assistant-text": {
    title: "The client leaves out what the model said beside its tool calls",
    consequence: "So the model lost its own plan between two rounds",
    change: ({ idiom }) => `send the reply back whole, its text and its calls: ${idiom.append}`,
  },
  "dropped-system-prompt": {
    title: "The client sends follow-up requests without the system prompt",
    consequence: "So the model forgot its instructions half-way",
    change: "send the system prompt with every request of the conversation",
  },
  "dropped-tools": {
    title: "The client sends follow-up requests without the tool definitions",
    consequence:
      "So the model could not call anything any more, and usually writes the call as text or guesses",
    change: "send the same tools with every request; where no call is wanted, say so by the tool choice",
  },
  "dropped-reasoning": {
    title: "The client does not send back the reasoning that belongs to the model's calls",
    consequence:
      "So a strict provider refuses the request, and elsewhere the model thinks anew in every round",
    change: ({ idiom }) =>
      `send the reply back whole, with its reasoning and signatures untouched: ${idiom.append}`,
  },
  "refused-reasoning": {
    title: "The client sends reasoning that this request may not carry",
    consequence: "So the provider refuses the request or ignores the reasoning",
    change: "send reasoning back only to the model and account that wrote it, in the form in which it came",
  },
  "rewritten-history": {
    title: "The client changes earlier turns when it sends them again",
    consequence: "So the model reads a past that did not happen, and the provider's cache no longer fits",
    change: "store replies and results as they were first received and sent, and send just that",
  },
  "reordered-blocks": {
    title: "The client stores text and calls in another order than the model wrote them",
    consequence: "So the model, and whoever reads the history, sees the calls in the wrong place",
    change: "keep one ordered list of blocks for each reply, not one field for text and one for calls",
  },
  "merged-or-split-turns": {
    title: "The client merges or splits the model's turns",
    consequence:
      "So calls and results no longer stand as the model made them, and some providers refuse that",
    change: ({ idiom }) => `store each reply as one turn: ${idiom.append}`,
  },
  "misplaced-tool-result": {
    title: "The client puts tool results where the provider does not look for them",
    consequence: "So the provider refuses the request, or takes the calls for unanswered",
    change: "put all results of a reply directly behind it, before anything else",
  },
  "duplicate-tool-result": {
    title: "The client answers one call twice",
    consequence:
      "So a strict provider refuses the request, and elsewhere the model cannot tell which result holds",
    change: "keep one result for each call; when the real one comes late, put it in place of the stub",
  },
  "empty-content": {
    title: "The client sends empty messages or text blocks",
    consequence: "So the provider refuses the request",
    change: "leave out empty texts, empty messages and empty lists of calls",
  },
  "bad-turn-order": {
    title: "The client sends turns in an order that the provider or the model's template refuses",
    consequence: "So the request is refused, or the model sees a garbled conversation",
    change:
      "begin with the user's turn, merge neighbouring turns of one role, and end with the user or a tool result",
  },
  "mixed-protocols": {
    title: "The client mixes the forms of two APIs in one history",
    consequence: "So the provider refuses the foreign parts, or drops them silently",
    change: "translate the whole history when a conversation moves to another API: calls, results and ids",
  },
  "resent-items": {
    title: "The client sends items again that the server already holds",
    consequence: "So the model reads them twice, or the provider refuses the request",
    change: "with a history that the server holds, send only what is new since the last reply",
  },

  // Ids
  "call-id-mismatch": {
    title: "The client answers calls under another id than they were made with",
    consequence: "So the result does not reach its call, and the call counts as unanswered",
    change: ({ idiom }) => `copy the call's own id unchanged into its result: ${idiom.result}`,
  },
  "call-id-mismatch/item-id": {
    title: "The client answers calls under their item id instead of their call id",
    consequence: "So the result does not reach its call, and the call counts as unanswered",
    change: ({ idiom }) => `name the call by its call id, not by the id of its item: ${idiom.result}`,
  },
  "duplicate-call-id": {
    title: "Several calls of the history share one id",
    consequence: "So their results cannot be told apart",
    change: "where the ids that arrive repeat, give every call an id of its own, and its result the same one",
  },
  "invalid-call-id": {
    title: "The client sends call ids that the provider refuses",
    consequence: "So the provider refuses the request",
    change:
      "keep the ids that came with the reply; where ids have to be made, as for another provider, use the form that it takes, the same for call and result",
  },
  "result-kind-mismatch": {
    title: "The client answers calls with the wrong kind of result",
    consequence: "So the result does not pair with its call, and is refused or not read",
    change: "answer every kind of call with its own kind of result, under the tool's own name",
  },
  "unresolvable-reference": {
    title: "The client refers to items or replies that the server does not hold",
    consequence: "So the server cannot put the history together, and refuses the request",
    change:
      "send the items themselves, or have replies stored and refer only to ids that this account received",
  },

  // Arguments, results, schema
  "incomplete-arguments": {
    title: "Tool calls carry arguments that are not whole",
    consequence: "So what the model asked for cannot be read, and the tool ran without it or not at all",
    change:
      "append all fragments of one call, parse them when the call has ended, and neither run nor store what does not parse",
  },
  "incomplete-arguments/glued": {
    title: "The client joins the arguments of several calls to one",
    consequence: "So none of these calls can be read",
    change: "collect streamed fragments by the index or id of their call, never in one string",
  },
  "misencoded-arguments": {
    title: "The client encodes call arguments in the wrong way",
    consequence: "So the model sees its calls in another form than it made them, and may copy that",
    change: "encode arguments exactly once: JSON text where the API wants text, an object where it wants one",
  },
  "invalid-arguments": {
    title: "The model calls tools with arguments that violate their schema",
    consequence: "So the tool fails, or does something else than was meant",
    change:
      "check arguments against the schema before running a tool, and answer with the error, so that the model can correct itself",
  },
  "undefined-tool": {
    title: "The model calls tools that the request does not offer",
    consequence: "So nobody can run these calls",
    change:
      "offer the same tools in all requests of a conversation, and answer an unknown name with an error that lists them",
  },
  "malformed-tool-result": {
    title: "The client sends tool results in a form that does not reach the model",
    consequence: "So the model saw nothing of use where the result should be",
    change: ({ idiom }) => `send the result as text, objects by \`JSON.stringify\`: ${idiom.result}`,
  },
  "placeholder-tool-result": {
    title: "The client answers a tool that it offers with a stub",
    consequence: "So the model could not get on, and usually tries again",
    change: "connect the offered tool to what runs it, or do not offer it",
  },
  "invalid-request": {
    title: "The client sends requests that the API's schema does not allow",
    consequence: "So the provider refuses them, or ignores the wrong fields",
    change: "send the fields that are named here in the form that the schema wants",
  },
  "provider-rejected": {
    title: "The provider refused the history",
    consequence: "So the model never saw this request",
    change: "read the provider's own text, which names the place in the request, and mend that",
  },
};
