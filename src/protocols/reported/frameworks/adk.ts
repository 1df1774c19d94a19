import type { Item, Role } from "../../../conversation/item.ts";
import { fields, isFields, list } from "../../wire.ts";
import { callsOf, decodeParts, decodeResult, member } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Events of Google's Agent Development Kit. @see https://google.github.io/adk-docs/events/ */
export const adk: Framework = {
  listed: {
    name: "adk",
    summary: "events of Google's Agent Development Kit",
    signs: "content with parts, next to author and invocationId",
  },
  messageKeys: [["author", "content"]],
  decode(event) {
    const { author, content } = event;
    if (typeof author !== "string" || !["invocationId", "invocation_id"].some((key) => key in event))
      return undefined;
    const role = author === "user" ? "user" : "assistant";
    const parts = list(fields(content)["parts"]);
    return { role, items: decodeParts(parts, role, "/content/parts") };
  },
};

/**
 * A turn of an evaluation case in the same kit.
 *
 * @see https://google.github.io/adk-docs/evaluate/
 */
export const adkEvaluation: Framework = {
  messageKeys: [["user_content"], ["userContent"]],
  decode(turn) {
    const [asked, user] = member(turn, "user_content", "userContent");
    if (!isFields(user) || !Array.isArray(user["parts"])) return undefined;
    const [between, data] = member(turn, "intermediate_data", "intermediateData");
    const [final, answer] = member(turn, "final_response", "finalResponse");
    const [used, uses] = member(fields(data), "tool_uses", "toolUses");
    const [returned, responses] = member(fields(data), "tool_responses", "toolResponses");
    const spoken = (value: unknown, role: Role, at: string): Item[] =>
      decodeParts(fields(value)["parts"], role, `${at}/parts`);
    const calls = callsOf(uses, `/${between}/${used}`);
    const given = list(responses).map((value, index) =>
      decodeResult(fields(value), `/${between}/${returned}/${index}`),
    );
    const items = [...spoken(user, "user", `/${asked}`), ...calls, ...given];
    return { role: "user", items: [...items, ...spoken(answer, "assistant", `/${final}`)] };
  },
};
