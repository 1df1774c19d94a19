import { eachEvent, type Oddities, sseComments, without } from "../oddity.ts";
import type { ServedEvent } from "../server-side.ts";
import { type Fields, fields, list } from "../wire.ts";

type Edit = (candidate: Fields) => Fields;

const inCandidates =
  (edit: Edit): Edit =>
  (chunk) => ({ ...chunk, candidates: list(chunk["candidates"]).map((each) => edit(fields(each))) });

/** The reason for the end in a chunk of its own, whose candidate has this content. */
function ownStop(content: Fields | undefined): (events: readonly ServedEvent[]) => readonly ServedEvent[] {
  return (events) =>
    events.flatMap((event) => {
      const chunk = fields(event.value);
      if (!list(chunk["candidates"]).some((each) => fields(each)["finishReason"] !== undefined))
        return [event];
      const stop = inCandidates((candidate) => {
        const { content: _, ...others } = candidate;
        return content ? { content, ...others } : others;
      });
      return [
        { ...event, value: inCandidates(without("finishReason"))(chunk) },
        { ...event, value: stop(chunk) },
      ];
    });
}

/** What servers of this API do that breaks clients, although most of it can be put together. */
export const oddities: Oddities = {
  "empty-stop": {
    summary: "sends the finish reason in a chunk whose content has no parts",
    seen: "Gemini, https://github.com/pydantic/pydantic-ai/pull/2631 and https://github.com/GoogleCloudPlatform/kubectl-ai/pull/351",
    events: ownStop({ role: "model" }),
  },
  "bare-stop": {
    summary: "sends the finish reason in a chunk without content",
    seen: "Gemini, https://github.com/jeremychone/rust-genai/pull/161",
    events: ownStop(undefined),
  },
  "empty-text": {
    summary: "gives the finish reason next to an empty text",
    seen: "Gemini, https://github.com/google-gemini/gemini-cli/pull/7859",
    events: ownStop({ parts: [{ text: "" }], role: "model" }),
  },
  "stop-in-every-chunk": {
    summary: "sends the finish reason `STOP` in each chunk",
    seen: "CLIProxyAPI, https://github.com/router-for-me/CLIProxyAPI/issues/5651",
    events: eachEvent(inCandidates((candidate) => ({ ...candidate, finishReason: "STOP" }))),
  },
  "no-finish-reason": {
    summary: "sends no finish reason",
    seen: "Gemini, whose command line asks again then, https://github.com/google-gemini/gemini-cli/pull/7859",
    events: eachEvent(inCandidates(without("finishReason"))),
    whole: inCandidates(without("finishReason")),
  },
  ...sseComments,
};
