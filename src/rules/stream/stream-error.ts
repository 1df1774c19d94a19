import { resentAs } from "../../conversation/reply-followups.ts";
import { matchErrorText } from "../match-error-text.ts";
import { defineRule } from "../rule.ts";
import { short } from "../words.ts";
import { fateOfPart, sendAgain } from "./truncated-stream.ts";

export default defineRule({
  name: "stream-error",
  summary: "An error inside a stream that began successfully, or in a reply with a success status",
  ground: "lost",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  follows: [{ rules: ["context-overflow", "provider-rejected"], by: "exchange" }],
  messages: {
    error: ({ error, type }: { error: string; type: string | undefined; callIds: readonly string[] }) =>
      `the stream breaks off with an error${type ? ` (\`${short(type, 40)}\`)` : ""}: ${short(error, 100)}`,
    written: ({ error, type }: { error: string; type: string | undefined; callIds: readonly string[] }) =>
      `the stream breaks off since the provider rejects what the model wrote${type ? ` (\`${short(type, 40)}\`)` : ""}: ${short(error, 100)}`,
    hidden: ({ error, type, status }: { error: string; type: string | undefined; status: number }) =>
      `the reply has status ${status} but contains an error${type ? ` (\`${short(type, 40)}\`)` : ""}: ${short(error, 100)}`,
  },

  habit: {
    title: "The provider reported an error inside a stream",
    consequence: "So the reply is incomplete: its last call or text may be cut off",
    change: `check for error events while reading a stream; after one, ${sendAgain}`,
  },
  kindHabits: {
    written: {
      title: "The provider rejected what the model wrote, inside a stream",
      consequence: "So the reply is incomplete: its call never arrives",
      change: `check for error events while reading a stream; after one, ${sendAgain}; if it fails often, simplify the tool's name and schema`,
    },
    hidden: {
      title: "The provider reported an error with a success status",
      consequence: "So a client that checks only the status takes it for an empty answer",
      change: "check every reply's body for `error`, whatever its status",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const error = step.reply?.error;
      const { status } = step.exchange;
      if (error && !error.isMidStream && status !== undefined && status < 300) {
        const again = resentAs(step);
        yield report(
          "hidden",
          { error: error.message, type: error.type ?? error.code, status },
          { step, part: "response", pointer: error.pointer },
          {
            severity: again ? "info" : "warning",
            ...(again && {
              notes: [
                {
                  message: "the same request is sent again here",
                  at: { step: again, part: "request", pointer: "" },
                },
              ],
            }),
          },
        );
      }
      if (!error?.isMidStream) continue;
      const { severity, notes, callIds } = fateOfPart(step);
      const at = {
        step,
        part: "response" as const,
        pointer: error.pointer,
        ...(error.extent && { extent: error.extent }),
      };
      const isOfReply = matchErrorText(`${error.message} ${error.code ?? ""}`)?.about === "reply";
      yield report(
        isOfReply ? "written" : "error",
        { error: error.message, type: error.type ?? error.code, callIds },
        at,
        {
          // The server reports the error, so only the client's use of the partial reply can be a defect.
          severity: notes.length === 0 ? "warning" : severity,
          notes,
          callIds,
        },
      );
    }
  },
});
