import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AnswerSource } from "../../serve/answers/answer-source.ts";
import type { PlannedFault } from "../../serve/faults/fault.ts";
import type { Io } from "../terminal/io.ts";
import { systemTrouble, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

type Serve = (answers: AnswerSource | undefined) => Promise<number>;

/**
 * Runs `serve` with what the model says: the replies of a log, those of a script, or `undefined` for one
 * short text in answer to every turn. A log stays open as long.
 */
export async function withAnswers(invocation: Invocation, io: Io, serve: Serve): Promise<number> {
  const { words, afterDashes } = invocation;
  const [log, another] = words.slice(0, words.length - afterDashes.length);
  const script = invocation.one("script");
  if (another !== undefined) {
    throw new Trouble(
      `\`toollint serve\` answers from one log; \`${another}\` is unexpected. Put a command after \`--\`, as in \`toollint serve run.jsonl -- npm test\``,
    );
  }
  if (log !== undefined && script !== undefined)
    throw new Trouble("the log and `--script` both define the model's answers: use one of them");
  if (log !== undefined)
    return (await import("./serve-log.ts")).withRecordedAnswers(log, invocation, io, serve);
  return serve(script === undefined ? undefined : await answersOfScript(script, io.cwd));
}

async function answersOfScript(file: string, cwd: string): Promise<AnswerSource> {
  const text = await readFile(path.resolve(cwd, file), "utf8").catch((error) => {
    throw systemTrouble(error, `cannot read ${file}`);
  });
  const [{ parseScript }, { ScriptError }, { scriptedAnswers }] = await Promise.all([
    import("../../serve/answers/script-file.ts"),
    import("../../serve/answers/script.ts"),
    import("../../serve/answers/scripted.ts"),
  ]);
  try {
    return scriptedAnswers(parseScript(text, file));
  } catch (error) {
    if (error instanceof ScriptError) throw new Trouble(error.message);
    throw error;
  }
}

/** The faults that `--fault` plans. */
export async function plannedFaults(invocation: Invocation): Promise<readonly PlannedFault[]> {
  const texts = invocation.all("fault");
  if (texts.length === 0) return [];
  const { FaultError, parseFault } = await import("../../serve/faults/parse.ts");
  try {
    return texts.map(parseFault);
  } catch (error) {
    if (error instanceof FaultError) throw new Trouble(`\`--fault\`: ${error.message}`);
    throw error;
  }
}
