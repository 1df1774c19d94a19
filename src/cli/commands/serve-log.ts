import { openLogs } from "../../log/open.ts";
import type { AnswerSource } from "../../serve/answers/answer-source.ts";
import { recordedAnswers } from "../../serve/answers/recorded.ts";
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
      if (inputs.searched.length > 0) throw new Trouble(nothingUnderstood(inputs));
      refuseUnread("serve", runs, settingsOf);
    }
    return serve(recordedAnswers(readable));
  });
}
