import type { Item } from "../../../conversation/item.ts";
import { fields, isFields, list } from "../../wire.ts";
import { decodeCall, decodeResult, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Augment's sessions: one element holds a request and its reply, with results and calls as nodes. */
export const augment: Framework = {
  listed: { row: "exports", name: "Augment" },
  messageKeys: [["exchange"]],
  decode(element) {
    const exchange = fields(element["exchange"]);
    const { request_message: asked, response_text: answer } = exchange;
    if (typeof asked !== "string" || typeof answer !== "string") return undefined;
    const results = list(exchange["request_nodes"]).flatMap((node, index): Item[] => {
      const given = fields(node)["tool_result_node"];
      return isFields(given)
        ? [decodeResult(given, `/exchange/request_nodes/${index}/tool_result_node`)]
        : [];
    });
    const calls = list(exchange["response_nodes"]).flatMap((node, index): Item[] => {
      const use = fields(node)["tool_use"];
      return isFields(use) ? [decodeCall(use, `/exchange/response_nodes/${index}/tool_use`)] : [];
    });
    const user = said(asked, "user", "/exchange/request_message");
    const model = said(answer, "assistant", "/exchange/response_text");
    return { role: "user", items: [...results, ...user, ...model, ...calls] };
  },
};
