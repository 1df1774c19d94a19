import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AnswerSource } from "../../serve/answers/answer-source.ts";
import { systemTrouble, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

/** What the model says, by `--script`; `undefined` for one short text in answer to every turn. */
export async function answersFor(invocation: Invocation, cwd: string): Promise<AnswerSource | undefined> {
  const script = invocation.one("script");
  return script === undefined ? undefined : answersOfScript(script, cwd);
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
