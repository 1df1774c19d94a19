import { openLogs } from "../../src/log/open.ts";
import { memorySource } from "../../src/reading/source.ts";
import { recordedAnswers } from "../../src/serve/answers/recorded.ts";
import { ModelServer } from "../../src/serve/model-server.ts";

/** A model server that answers from a log. */
export async function replayed(...files: readonly (readonly [name: string, text: string])[]) {
  const runs = await openLogs(
    files.map(([path, text]) => ({ path, source: memorySource(path, Buffer.from(text)) })),
    { keepsReplies: true },
  );
  const answers = recordedAnswers(runs);
  return { ...askable(await ModelServer.create({ answers })), notes: () => answers.notes?.() ?? [] };
}

export function askable(server: ModelServer) {
  return {
    server,
    /** Asks, and reads the answer to its end unless it is to break off. */
    async ask(target: string, body: object, breaksOff = false) {
      const answer = await server.handle({
        method: "POST",
        target,
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        headerList: [],
        body: Buffer.from(JSON.stringify(body)),
      });
      const chunks: string[] = [];
      if (typeof answer.body === "string" || Buffer.isBuffer(answer.body)) chunks.push(String(answer.body));
      else for await (const chunk of answer.body) chunks.push(String(chunk));
      const text = chunks.join("");
      answer.ended?.(Buffer.from(text), !breaksOff);
      return { status: answer.status, text };
    },
  };
}

/** A log with a record for each exchange. */
export function logOf(url: string, exchanges: readonly (readonly [request: object, response: unknown])[]) {
  return exchanges
    .map(([request, response]) => `${JSON.stringify({ url, request, response, status: 200 })}\n`)
    .join("");
}
