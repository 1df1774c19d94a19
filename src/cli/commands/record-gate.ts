import type { HeldRequest, OwnAnswer } from "../../record/passage.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print } from "../terminal/io.ts";
import { errorStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { judgeOf } from "../usage/values.ts";

/** What stands between a recorded program and its providers with `--strict`. */
export interface RecordGate {
  readonly hasRefused: boolean;
  judge(request: HeldRequest): Promise<OwnAnswer | undefined>;
  /** Says at the end what was refused. */
  report(): Promise<void>;
}

/**
 * The gate of a recording; `undefined` without `--strict`.
 * @param isOpenEnded no command is run: a refusal is said at once, too
 */
export async function gateOf(
  invocation: Invocation,
  isOpenEnded: boolean,
  io: Io,
): Promise<RecordGate | undefined> {
  if (!invocation.has("strict")) {
    if (invocation.one("profile") !== undefined)
      throw new Trouble("`--profile` works only with `--strict`: add `--strict`");
    return undefined;
  }
  const judge = judgeOf(invocation);
  const [{ ProviderGate }, { refusalLine, refusalReport }] = await Promise.all([
    import("../../serve/provider-gate.ts"),
    import("./serve-report.ts"),
  ]);
  const gate = await ProviderGate.create(judge);
  return {
    get hasRefused() {
      return gate.refused.length > 0;
    },
    async judge(request) {
      try {
        const answer = await gate.judge(request);
        const refused = answer && gate.refused.find((each) => each.request === request.number);
        if (refused && isOpenEnded) await print(io.stderr, [refusalLine(refused)]);
        return answer;
      } catch (error) {
        const reason = error instanceof Error ? error.message : error;
        await note(
          io,
          `request ${request.number} could not be judged and is passed on: internal error: ${reason}; please report it`,
        );
        return undefined;
      }
    },
    async report() {
      const { refused } = gate;
      if (refused.length === 0) return;
      await print(io.stderr, refusalReport(refused, errorStyle(invocation, io)));
      const histories = refused.length === 1 ? "1 history was" : `${refused.length} histories were`;
      await note(io, `${histories} rejected and not sent · fails`);
    },
  };
}
