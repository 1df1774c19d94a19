import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { toollint } from "../../cli/program.ts";

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

export interface Run {
  readonly steps: number;
  /** The step, from 1, whose request lacks what came before it. */
  readonly breakAt?: number;
  /** Steps that make one and the same call, from and to. */
  readonly loop?: readonly [number, number];
  /** Stands in prompts, arguments and results. */
  readonly text?: string;
}

/** Steps after which the user says something new. */
const stepsOfTurn = 50;

/** A log of an agent that reads file after file: one request and its reply a line. */
export function agentLog({ steps, breakAt, loop, text = "" }: Run): string {
  let messages: Message[] = [
    { role: "system", content: "You are a careful coding agent." },
    { role: "user", content: `Please migrate the payments module to promises. ${text}` },
  ];
  const lines: string[] = [];
  for (let step = 1; step <= steps; step++) {
    const isLast = step === steps || step % stepsOfTurn === 0;
    const isLoop = loop !== undefined && step >= loop[0] && step <= loop[1];
    const name = ["read_file", "search", "edit_file"][isLoop ? 0 : step % 3] ?? "";
    const file = isLoop ? "src/payments/gateway.ts" : `src/payments/part-${step}.ts`;
    const id = `call_${step}`;
    const reply: Message = isLast
      ? { role: "assistant", content: `All ${step} files are migrated. ${text}` }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id,
              type: "function",
              function: { name, arguments: JSON.stringify({ path: file, note: text }) },
            },
          ],
        };
    if (step === breakAt) messages = [...messages.slice(0, 2), ...messages.slice(-2)];
    lines.push(exchange(messages, reply, step));
    messages = [
      ...messages,
      reply,
      isLast
        ? { role: "user", content: `Good. Go on after step ${step}.` }
        : { role: "tool", tool_call_id: id, content: resultOf(file, isLoop, text) },
    ];
  }
  return `${lines.join("\n")}\n`;
}

function resultOf(file: string, isLoop: boolean, text: string): string {
  return `// ${file} ${text}\n${"export function handler(request, done) { done(null, request); }\n".repeat(isLoop ? 2 : 8)}needle of ${file}\n`;
}

function exchange(messages: readonly Message[], message: Message, step: number): string {
  const tools = ["read_file", "search", "edit_file"].map((name) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: {} } },
  }));
  return JSON.stringify({
    request: { model: "gpt-5-mini", messages, tools },
    response: {
      id: `chatcmpl-${step}`,
      object: "chat.completion",
      created: 1_762_160_000 + step,
      model: "gpt-5-mini",
      choices: [{ index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" }],
      usage: { prompt_tokens: 100 * messages.length, completion_tokens: 20, total_tokens: 0 },
    },
  });
}

/** What a command writes with `--format html` about logs with these texts. */
export async function pageOf(command: string, ...logs: readonly string[]): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "toollint-log-"));
  try {
    const names = logs.map((_, index) => `run-${index + 1}.jsonl`);
    for (const [index, log] of logs.entries()) writeFileSync(path.join(folder, names[index] ?? ""), log);
    const { stdout, stderr } = await toollint([command, ...names, "--format", "html"], { cwd: folder });
    if (!stdout.startsWith("<!doctype html>")) throw new Error(`no page: ${stdout.slice(0, 200)}${stderr}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
