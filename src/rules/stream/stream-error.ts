import { defineRule } from "../rule.ts";
import { short } from "../words.ts";
import { fateOfPart, sendAgain } from "./truncated-stream.ts";

export default defineRule({
  name: "stream-error",
  summary: "An error event inside a stream that had begun as a success",
  ground: "lost",
  severity: "warning",
  needs: "anything",
  follows: [{ rules: ["context-overflow", "provider-rejected"], by: "exchange" }],
  messages: {
    error: ({ error, type }: { error: string; type: string | undefined; callIds: readonly string[] }) =>
      `the stream breaks off with an error${type ? ` (\`${short(type, 40)}\`)` : ""}: ${short(error, 100)}`,
  },

  habit: {
    title: "The provider reported an error inside a stream",
    consequence: "So what had arrived of the reply is not whole: its last call or text may be cut",
    change: `look for error events while reading a stream; after one, ${sendAgain}`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const error = step.reply?.error;
      if (!error?.isMidStream) continue;
      const { severity, notes, callIds } = fateOfPart(step);
      const at = {
        step,
        part: "response" as const,
        pointer: error.pointer,
        ...(error.extent && { extent: error.extent }),
      };
      yield report("error", { error: error.message, type: error.type ?? error.code, callIds }, at, {
        // The server reports the error, so only the client's use of the partial reply can be a defect.
        severity: notes.length === 0 ? "warning" : severity,
        notes,
        callIds,
      });
    }
  },
});
