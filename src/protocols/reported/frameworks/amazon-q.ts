import type { Item } from "../../../conversation/item.ts";
import { pushAll } from "../../../reading/lists.ts";
import { means } from "../../error-text.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { decodeCall, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Amazon Q's and Kiro's CLI: one element holds a request and its reply, each under one member. */
export const amazonQ: Framework = {
  listed: { row: "exports", name: "Amazon Q" },
  errorTexts: [{ pattern: /userInputMessage must be followed by/i, ...means.turnOrder }],
  messageKeys: [["user", "assistant"]],
  decode(turn) {
    const { content } = fields(turn["user"]);
    if (!isFields(content) || !isFields(turn["assistant"])) return undefined;
    const items: Item[] = [];
    // Exports omit the names of single members: a prompt is then its text, and results are their list.
    for (const key of ["ToolUseResults", "CancelledToolUses"]) {
      const at = `/user/content/${key}`;
      const [results, base] = Array.isArray(content[key])
        ? [content[key], at]
        : [list(fields(content[key])["tool_use_results"]), `${at}/tool_use_results`];
      for (const [index, value] of results.entries()) {
        const { tool_use_id: callId, content: given, status } = fields(value);
        const outputs = list(given).map((part) => fields(part)["Text"] ?? fields(part)["Json"] ?? part);
        const output = outputs.length === 1 ? outputs[0] : outputs;
        const isError = /^error$/i.test(string(status) ?? "");
        items.push(result({ callId, output, isError }, `${base}/${index}`));
      }
    }
    for (const key of ["Prompt", "CancelledToolUses"]) {
      const asked = content[key];
      if (typeof asked === "string") pushAll(items, said(asked, "user", `/user/content/${key}`));
      else pushAll(items, said(fields(asked)["prompt"], "user", `/user/content/${key}/prompt`));
    }
    for (const key of ["ToolUse", "Response"]) {
      const reply = fields(turn["assistant"][key]);
      const pointer = `/assistant/${key}`;
      pushAll(items, said(reply["content"], "assistant", `${pointer}/content`));
      for (const [index, value] of list(reply["tool_uses"]).entries()) {
        const { id, name, args, orig_args: asked } = fields(value);
        items.push(decodeCall({ id, name, arguments: asked ?? args }, `${pointer}/tool_uses/${index}`));
      }
    }
    return items.length > 0 ? { role: "user", items } : undefined;
  },
};
