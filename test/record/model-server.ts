import http from "node:http";
import type { AddressInfo } from "node:net";

/** What came to a scripted server. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (asked: Asked, response: http.ServerResponse) => void | Promise<void>;

export interface ModelServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** A server on loopback that answers as it is told. */
export async function modelServer(answer: Answer): Promise<ModelServer> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const one = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      asked.push(one);
      void answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A reply of the chat API that calls a tool. */
export function callingReply(id: string, tool: string): string {
  return JSON.stringify({
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    model: "gpt-4o",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name: tool, arguments: '{"city":"Oslo"}' } }],
        },
      },
    ],
  });
}

export function answeringReply(text: string): string {
  return JSON.stringify({
    id: "chatcmpl-end",
    object: "chat.completion",
    model: "gpt-4o",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
  });
}
