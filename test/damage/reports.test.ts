import { describe, expect, test } from "vitest";
import { bodyFaults, type Roll, valueFaults } from "../../fuzz/faults.ts";
import { stories } from "../containers/sessions.ts";
import { logs } from "../containers/shapes.ts";
import { hasLost, isTold, yieldOf } from "./told.ts";

/** Numbers that look random and are the same in every run. */
function dice(from: number): Roll {
  let state = from >>> 0;
  return (sides) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Without those that take everything out: of what is gone nobody can tell. */
const faults = [...bodyFaults, ...valueFaults].filter(
  ({ name }) => !/in its place|first bytes|bad byte|overwritten|of the logger|a part is/.test(name),
);

/** The texts of a log that hold JSON, each with a function that puts another text in its place. */
function textsIn(log: string): { text: string; put: (text: string) => string }[] {
  return [...log.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].flatMap(([whole, escaped = ""], index) => {
    const text: string = JSON.parse(`"${escaped}"`);
    if (!/^\s*(?:\{\s*"|\[\s*\{)/.test(text)) return [];
    let at = -1;
    return [
      {
        text,
        put: (other) =>
          log.replace(/"((?:[^"\\\n]|\\.)*)"/g, (own) => (++at === index ? JSON.stringify(other) : own)),
        whole,
      },
    ];
  });
}

const latin = (text: string): string => Buffer.from(text).toString("latin1");
const utf = (text: string): string => Buffer.from(text, "latin1").toString();

async function silentIn(log: string, damaged: readonly (readonly [string, string])[]): Promise<string[]> {
  const whole = await yieldOf("run.log", Buffer.from(log));
  const silent: string[] = [];
  for (const [name, text] of damaged) {
    const left = await yieldOf("run.log", Buffer.from(text));
    if (hasLost(whole, left) && !isTold(whole, left)) silent.push(name);
  }
  return silent;
}

describe("a damaged report of a tracing tool", () => {
  const reports = ["opentelemetry", "ai-sdk-spans", "langfuse", "mlflow", "devtools", "wiremock"];
  test.each(reports)("tells which text of %s could not be read", async (name) => {
    const log = logs[name] ?? "";
    const damaged = textsIn(log).flatMap(({ text, put }) =>
      faults.flatMap((fault, index) => {
        // The request of MLflow's REST API stands next to a bare message, which proves nothing.
        if (/^a (?:colon|call)|half a character/.test(fault.name) && name === "mlflow") return [];
        const broken = fault.apply(latin(text), dice(index));
        return broken === undefined ? [] : [[fault.name, put(utf(broken))] as const];
      }),
    );
    expect(damaged.length).toBeGreaterThan(40);
    expect(await silentIn(log, damaged)).toEqual([]);
  });
});

describe("a damaged document", () => {
  const documents = ["tau-bench", "exports", "datadog", "braintrust", "opentelemetry", "inspect"];
  test.each(documents)("of a tool or a benchmark tells of what it lost: %s", async (name) => {
    const log = logs[name] ?? "";
    const damaged = faults.flatMap((fault, index) => {
      const broken = fault.apply(latin(log), dice(index));
      return broken === undefined ? [] : [[fault.name, utf(broken)] as const];
    });
    expect(await silentIn(log, damaged)).toEqual([]);
  });

  test.each(["chatgpt", "strands", "gemini-cli", "kiro", "openhands-trajectory"])(
    "of an agent tells of what it lost: %s",
    async (name) => {
      const log = stories[name]?.log ?? "";
      const damaged = faults.flatMap((fault, index) => {
        // With words before it, it is a text log, which reads it in its own way.
        if (/before the beginning/.test(fault.name)) return [];
        const broken = fault.apply(latin(log), dice(index));
        return broken === undefined ? [] : [[fault.name, utf(broken)] as const];
      });
      expect(await silentIn(log, damaged)).toEqual([]);
    },
  );
});

const span = (attributes: Readonly<Record<string, string>>): string =>
  JSON.stringify({ name: "chat", span_id: "s1", attributes });
const asked = '[{"role":"user","parts":[{"type":"text","content":"How warm is it in Bern?"}]}]';
const said = '[{"role":"assistant","parts":[{"type":"text","content":"It is 17 °C."}]}]';
const observed = (input: unknown, output: unknown): string =>
  JSON.stringify({ id: "o1", traceId: "t", type: "GENERATION", input, output });

async function toldOf(log: string): Promise<readonly string[]> {
  return (await yieldOf("run.log", Buffer.from(log))).statements;
}

describe("what is said of a broken attribute", () => {
  test("names its first wrong byte, and what is expected there", async () => {
    const broken = asked.replace('"user",', '"user"');
    expect(await toldOf(span({ "gen_ai.input.messages": broken, "gen_ai.output.messages": said }))).toEqual([
      "1: not valid JSON: a comma or `}` is expected here; this part was not checked",
    ]);
  });

  test("says that an attribute which the exporter cut breaks off", async () => {
    const cut = said.slice(0, 50);
    expect(await toldOf(span({ "gen_ai.input.messages": asked, "gen_ai.output.messages": cut }))).toEqual([
      "1: the JSON of this body is cut off; what came after is not checked",
    ]);
  });

  test("takes no damaged message for a assistant text", async () => {
    const log = observed(
      [{ role: "user", content: "Hi, how are you?" }],
      '{"role":"assistant","content:"Well."}',
    );
    const { counts, statements } = await yieldOf("run.log", Buffer.from(log));
    expect(counts.replies).toBe(0);
    expect(statements).toHaveLength(1);
  });
});

describe("a legal report gets no statement", () => {
  test.each([
    [
      "messages that were left out",
      span({ "gen_ai.input.messages": asked, "gen_ai.output.messages": "[redacted]" }),
    ],
    ["messages that are empty", span({ "gen_ai.input.messages": asked, "gen_ai.output.messages": "" })],
    [
      "a prompt in words",
      span({ "gen_ai.prompt": "{city: how warm is it?", "gen_ai.completion": "It is 17 °C." }),
    ],
    [
      "an answer that is broken JSON of its own",
      observed([{ role: "user", content: "Repeat this." }], '{"city": "Bern", "celsius": }'),
    ],
    [
      "an input of a chain that is broken JSON of its own",
      `[${observed([{ role: "user", content: "Repeat this." }], "Well.")},${JSON.stringify({ id: "o2", traceId: "t", type: "SPAN", input: '{"role":"user","content": }', output: "?" })}]`,
    ],
  ])("%s", async (_, log) => {
    expect(await toldOf(log)).toEqual([]);
  });
});

describe("a report that breaks off in a string of its record", () => {
  const span = JSON.stringify({
    span_id: "s1",
    span_attributes: { type: "llm" },
    input: [{ role: "user", content: "How warm is it in Bern?" }],
    output: [{ index: 0, message: { role: "assistant", content: "It is 17 °C." }, finish_reason: "stop" }],
  });
  const cut = span.slice(0, span.indexOf(':"It is'));
  const kept: Readonly<Record<string, (text: string) => string>> = {
    logfmt: (text) => `time="12:00:00" level=info msg=${JSON.stringify(text)}\n`,
    "JSON lines": (text) => `${JSON.stringify({ log: text })}\n`,
    "a document": (text) => JSON.stringify({ events: [{ message: text }] }),
    CSV: (text) => `time,message\n12:00:00,"${text.replaceAll('"', '""')}"\n`,
  };
  const statementsOf = async (log: string): Promise<readonly string[]> =>
    (await yieldOf("run.log", Buffer.from(log))).statements;

  test.each(Object.entries(kept))("is named: %s", async (_, keep) => {
    expect(await statementsOf(keep(span))).toEqual([]);
    expect(await statementsOf(keep(cut))).toHaveLength(1);
  });

  test("is the preview of what stands beside it", async () => {
    const log = `${JSON.stringify({ ...JSON.parse(span), preview: cut })}\n`;
    expect(await statementsOf(log)).toEqual([]);
  });
});
