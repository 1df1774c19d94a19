import { setTimeout as wait } from "node:timers/promises";
import { send } from "../../http/send.ts";
import { counted } from "../../reporters/numbers.ts";
import { visible } from "../../reporters/visible.ts";
import { maskSecrets } from "../../secrets/masks.ts";
import type { LiveOptions } from "../../shrink/live.ts";
import type { FailingLog } from "../../shrink/oracle.ts";
import { note } from "../terminal/complaint.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { wholeNumber } from "../usage/values.ts";
import { targetOf } from "./replay-target.ts";

/** Few enough to be paid without a second thought. */
const fewRequests = 60;

/**
 * Runs `work` with a live server. What may be sent is said before the first request; Ctrl-C ends the work
 * with the smallest log so far.
 */
export async function withLive<T>(
  invocation: Invocation,
  path: string,
  io: Io,
  work: (live: (log: FailingLog) => Promise<LiveOptions>) => Promise<T>,
): Promise<T> {
  const times = atLeastOne(invocation, "times", 1);
  const maxRequests = atLeastOne(invocation, "max-requests", fewRequests);
  const patienceMs = atLeastOne(invocation, "timeout", 300) * 1000;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  try {
    return await work(async ({ finding, file }) => {
      const protocol = finding?.locus.exchange.protocol ?? file.exchanges[0]?.protocol ?? "";
      const target = await targetOf(invocation, protocol, path, io, "shrink --live");
      const base = visible(maskSecrets(target.base.href));
      const often = times > 1 ? `, each cut up to ${times} times` : "";
      await note(io, `sends at most ${counted(maxRequests, "request")} to ${base}${often}`);
      return {
        target,
        times,
        maxRequests,
        signal: stop.signal,
        send: (request) =>
          send(request, {
            patienceMs,
            maxMs: patienceMs * 10,
            retries: 4,
            signal: stop.signal,
            wait: async (ms, signal) => void (await wait(ms, undefined, signal ? { signal } : {})),
            onRetry: (why, ms) => void note(io, `${why}: again in ${(ms / 1000).toFixed(1)} s`),
          }),
      };
    });
  } finally {
    process.off("SIGINT", onSignal);
  }
}

function atLeastOne(invocation: Invocation, name: string, otherwise: number): number {
  const number = wholeNumber(invocation, name) ?? otherwise;
  if (number < 1) throw new Trouble(`\`--${name}\` goes from 1`);
  return number;
}
