import { level } from "../../../traffic/certainty.ts";
import { fields, isFields, list } from "../../wire.ts";
import { finishOf } from "../finish.ts";
import type { Framework } from "./framework.ts";

/** Inspect AI: the chat API's messages, and choices with stop reasons of its own. */
export const inspect: Framework = {
  listed: {
    name: "inspect",
    summary: "samples of Inspect AI, from .json and .eval",
    signs: "eval and samples with messages or model events",
  },
  reply: {
    recognize(peek) {
      const { message, stop_reason: own, finish_reason: wire } = fields(list(peek.value("choices"))[0]);
      return isFields(message) && typeof own === "string" && wire === undefined ? level.certain : undefined;
    },
    decode({ choices }, messages) {
      if (!Array.isArray(choices)) return undefined;
      const { message, stop_reason: reason } = fields(choices[0]);
      return {
        items: messages.items(message, "/choices/0/message"),
        finish: finishOf(reason, "/choices/0/stop_reason"),
      };
    },
  },
};
