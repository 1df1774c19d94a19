import { openLogs } from "../../log/open.ts";
import type { ByteSource } from "../../reading/source.ts";
import { counted } from "../../reporters/numbers.ts";
import { shellWord } from "../../reporters/shell.ts";
import type { AnswerSource } from "../../serve/answers/answer-source.ts";
import { recordedAnswers } from "../../serve/answers/recorded.ts";
import { outcomeOf } from "../../serve/answers/recorded-replies.ts";
import { settingsFor } from "../config/file-settings.ts";
import { nothingUnderstood, refuseUnread, withLogs } from "../files/logs.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

/** Runs `serve` with the replies of a log, which stays open as long. */
export async function withRecordedAnswers(
  log: string,
  invocation: Invocation,
  io: Io,
  serve: (answers: AnswerSource) => Promise<number>,
): Promise<number> {
  const settingsOf = await settingsFor(invocation, io);
  return withLogs([log], io, async (inputs) => {
    const runs = await openLogs(inputs.files, { settingsOf, keepsReplies: true });
    const readable = runs.filter(({ exchanges }) => exchanges.length > 0);
    if (readable.length === 0) {
      const script = inputs.files.find(({ source }) => looksLikeScript(source));
      if (script) throw new Trouble(`${log} is a script: \`toollint serve --script ${shellWord(log)}\``);
      if (inputs.searched.length > 0) throw new Trouble(nothingUnderstood(inputs));
      await refuseUnread("serve", runs, settingsOf);
    }
    const exchanges = readable.flatMap((run) => run.exchanges);
    if (exchanges.every((exchange) => typeof outcomeOf(exchange) === "string"))
      throw new Trouble(
        `${log} has no complete reply to answer with (${counted(exchanges.length, "exchange")})`,
      );
    return serve(recordedAnswers(readable));
  });
}

/** Whether a file begins as scripts do, and was meant for `--script`. */
function looksLikeScript(source: ByteSource): boolean {
  const head = source.read(0, Math.min(source.size, 4096)).toString();
  return /^(?:\uFEFF|[ \t])*(?:\{[ \t]*)?["']?(?:replies|conversations|otherwise)["']?\s*:/m.test(head);
}
