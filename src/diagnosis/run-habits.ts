import type { Habit } from "./habit.ts";

const sendAgain = "send the same request again, and keep the partial reply out of the history";
const permitStop =
  "say in the system prompt when no tool is needed and that an answer without one is welcome; leave the tool choice on auto";

/** What goes wrong in replies and in the run as a whole. */
export const runHabits: Readonly<Record<string, Habit>> = {
  // Streams and replies
  "lost-fragments": {
    title: "The client loses parts of tool calls, usually when it puts a stream together",
    consequence: "So calls were run, or sent back, with less than the model had written",
    change:
      "collect fragments by the index or id of their call, append every piece of arguments, and keep the first id and name",
  },
  "lost-fragments/altered": {
    title: "The client sends tool calls back with other arguments than the model wrote",
    consequence: "So the model reads calls that it did not make",
    change: ({ idiom }) => `send the calls of a reply back as they came: ${idiom.append}`,
  },
  "truncated-stream": {
    title: "The stream ended before the reply was whole",
    consequence: "So what the model was still going to say or to call is lost",
    change: `take a stream without its final event for failed: ${sendAgain}`,
  },
  "truncated-stream/call": {
    title: "The stream ended in the middle of a tool call",
    consequence: "So the call's arguments have no end, and the call can neither be run nor be sent back",
    change: `take a stream without its final event for failed, and run no call from it: ${sendAgain}`,
  },
  "truncated-stream/nothing": {
    title: "The stream ended before the model said anything",
    consequence: "So there was no reply to act on",
    change: "take a stream without its final event for failed, and send the same request again",
  },
  "stream-error": {
    title: "The provider reported an error inside a stream",
    consequence: "So what had arrived of the reply is not whole: its last call or text may be cut",
    change: `look for error events while reading a stream; after one, ${sendAgain}`,
  },
  "malformed-stream": {
    title: "The server breaks the format of its own stream",
    consequence: "So a client may put the calls together wrongly, or lose them",
    change:
      "update the server or the proxy in between; until then pair fragments by id where there is one, else by order",
  },
  "empty-reply": {
    title: "The model's reply is empty",
    consequence: "So there was nothing to act on",
    change:
      "send the request again; when that repeats, look at the stop sequences, the token limit and the chat template",
  },

  // Lifecycle
  "unclosed-loop": {
    title: "The client stops although the model asked for tools",
    consequence: "So the model never saw a result, and the user got no answer",
    change: ({ idiom }) =>
      `go on while a reply holds calls: run them, append reply and results, send the next request: ${idiom.append}`,
  },
  "finish-reason-mismatch": {
    title: "The stop reason does not say what the reply holds",
    consequence: "So a client that trusts it skips calls, or waits for calls that are not there",
    change: "decide by the calls in the reply, not by its stop reason",
  },
  "truncated-reply": {
    title: "Replies are cut off by the token limit",
    consequence: "So a call or a text ends in the middle",
    change: "raise the request's token limit, and neither run nor store a call that was cut",
  },
  "abandoned-pause": {
    title: "The client stops at a pause of the model's turn",
    consequence: "So the turn was never finished",
    change: "send the paused reply back as it came, and go on until the turn has ended",
  },
  "failed-reply-used": {
    title: "The client goes on with a reply that failed",
    consequence: "So the model goes on from something that it did not mean",
    change:
      "look at the stop reason first; leave failed replies out of the history and send the request again",
  },

  // Loops
  "repeated-call": {
    title: "The model makes the same call again and again",
    consequence: "So every round costs a request and brings nothing new",
    change:
      "see first that results reach the model; then stop after a few equal rounds, and tell the model that nothing has changed",
  },
  "cyclic-calls": {
    title: "The model goes round in a circle of the same calls",
    consequence: "So every round costs a request and brings nothing new",
    change:
      "see first that results reach the model; then stop when the rounds repeat, and tell the model that nothing has changed",
  },
  "runaway-loop": {
    title: "The run goes on without coming to an answer",
    consequence: "So the user got none, and every round was paid for",
    change: "limit the rounds of a turn, and ask for an answer without tools in the last one",
  },
  "forced-tool-loop": {
    title: "The client forces a tool call in every round",
    consequence: "So the model may not answer, and has to call something",
    change: "force a call in the first request only, then set the tool choice back to auto",
  },

  // Calls in text
  "text-tool-call": {
    title: "The model's tool calls arrive as text, and nobody runs them",
    consequence: "So the tool never ran, and the user sees the call instead of an answer",
    change:
      "use the chat template and tool parser that belong to the model, or read such calls from the text",
  },
  "leaked-control-tokens": {
    title: "Tokens of the model's template leak into the conversation",
    consequence: "So names may not match their tools, and the model reads its own marks as text",
    change: "use the chat template and tool parser that belong to the model, and cut such tokens off replies",
  },

  // Intent
  "call-after-farewell": {
    title: "The model runs tools although the user has finished",
    consequence: "So work is done that nobody asked for",
    change: permitStop,
  },
  "call-after-greeting": {
    title: "The model answers a greeting with tool calls",
    consequence: "So work is done that nobody asked for",
    change: permitStop,
  },
  "eager-tool-prompt": {
    title: "The system prompt forces tool calls and never permits to stop",
    consequence: "So the model calls tools where an answer would do",
    change: permitStop,
  },

  // Cost and hygiene
  "broken-cache-prefix": {
    title: "The client changes the beginning of its requests in every round",
    consequence: "So nothing is read from the provider's cache, and every token is paid for again",
    change:
      "keep the system prompt, the tools and earlier turns byte for byte; put dates and counters at the end",
  },
  "context-overflow": {
    title: "The history has outgrown the model's window",
    consequence: "So the request is refused, or its oldest part is cut off silently",
    change: "shorten big results before they are first sent, and put a summary in the place of old turns",
  },
  "exposed-secret": {
    title: "The log holds a credential",
    consequence: "So whoever reads the log can use it",
    change: "revoke it, and mask keys before they are logged",
  },
  "injected-instructions": {
    title: "A tool result talks to the model",
    consequence: "So the model may follow the text of a page or file instead of the user",
    change: "mark results as data, remove hidden characters, and ask the user before dangerous calls",
  },

  // Reading
  "unreadable-record": {
    title: "Parts of the log cannot be read",
    consequence: "So what they held was not checked",
    change: "log whole records, one JSON value a line, and flush them before the process ends",
  },
};
