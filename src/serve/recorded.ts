import type { Recorded } from "../record/line.ts";
import type { ServedExchange } from "./serve.ts";

/** An exchange of a model server as a recording keeps it. `url` is the server's. */
export function recordedExchange(
  { number, time, durationMs, request, answer, sent, isWhole }: ServedExchange,
  url: string,
): Recorded {
  return {
    number,
    time,
    durationMs,
    request: {
      method: request.method,
      url: `${url}${request.target}`,
      // The body is unpacked.
      headers: request.headerList.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name)),
      body: request.body,
    },
    ...(answer.fails !== "reset" &&
      answer.fails !== "hang" && {
        response: { status: answer.status, headers: Object.entries(answer.headers), body: sent },
      }),
    ...(!isWhole && { aborted: answer.fails === "reset" || answer.fails === "cut" ? "server" : "client" }),
  };
}
