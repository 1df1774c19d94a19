import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { shapes } from "../../src/containers/payloads/shapes.ts";
import { listings } from "../../src/protocols/reported/frameworks/index.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { logs } from "./shapes.ts";
import { open } from "./stories.ts";

const named = [...shapes, ...listings.map((listing) => ({ ...listing, holds: "told" as const }))];

describe("a shape that `toollint formats` names", () => {
  test.each(named)("is read, and known to be as it was sent or told: $name", async ({ name, holds }) => {
    const source = bytesSource("run.log", Buffer.from(logs[name] ?? ""));
    const { report, files: read } = await checkFiles([{ path: "run.log", source }]);
    expect(report.files.map(({ kind }) => kind)).toEqual(["requests"]);
    const isReported = read.some(({ exchanges }) =>
      exchanges.some(({ fidelity }) => fidelity === "reported"),
    );
    expect(isReported ? "told" : "sent").toBe(holds);
    // What is said to be not checked is what the list says that these cannot show.
    expect(report.notChecked.some(({ why }) => why.includes("does not show their wire format"))).toBe(
      isReported,
    );
  });

  test("has a small log, and no other has", () => {
    expect(Object.keys(logs)).toEqual(named.map(({ name }) => name));
  });
});

test.each(["event", "event_type", "eventType", "EventName"])(
  "events that name a role under `%s` are no messages",
  async (key) => {
    const events = [
      { [key]: "turn_start", role: "user", content_preview: "Hi", tool_name: null },
      { [key]: "tool_dispatch_end", role: "tool", content_preview: "18 °C", tool_name: "weather" },
      { [key]: "agent_response", role: "assistant", content_preview: "It is warm.", tool_name: null },
    ];
    expect((await open(JSON.stringify({ status: "ok", events }))).exchanges).toEqual([]);
    const messages = events.map(({ role, content_preview: content }) => ({ role, content }));
    expect((await open(JSON.stringify({ status: "ok", events: messages }))).exchanges).toHaveLength(1);
  },
);
