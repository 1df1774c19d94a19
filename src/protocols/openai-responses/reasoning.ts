import type { Request } from "../../conversation/exchange.ts";
import { type Fields, fields } from "../wire.ts";

/** Whether a request asks for reasoning; `minimal` mostly yields none at all. */
export function reasoningOf(request: Fields): boolean | undefined {
  const { effort } = fields(request["reasoning"]);
  return typeof effort === "string" ? effort !== "none" && effort !== "minimal" : undefined;
}

/** Whether the model reasons before all it says; later ones than GPT-5 do only where asked to. */
export function surelyReasons({ model = "", settings }: Pick<Request, "model" | "settings">): boolean {
  return (
    settings.reasoning !== false &&
    (/^(?:o[134]|gpt-5|codex-mini)(?:-(?!chat)|$)/.test(model) ||
      (settings.reasoning === true && /^gpt-5/.test(model)))
  );
}
