import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, list, string } from "../../wire.ts";
import { callsOf, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** @see https://docs.spring.io/spring-ai/reference/api/tools.html */
export const springAi: Framework = {
  listed: { row: "frameworks", name: "Spring AI" },
  messageKeys: [["messageType"]],
  decode(message) {
    const role = speakerOf(string(message["messageType"]));
    if (role === undefined) return undefined;
    const key = typeof message["text"] === "string" ? "text" : "textContent";
    const text = said(string(message[key]), role, `/${key}`);
    if (role !== "tool") return { role, items: [...text, ...callsOf(message["toolCalls"], "/toolCalls")] };
    const responses = list(message["responses"]).map((response, index): Item => {
      const { id: callId, name, responseData: output } = fields(response);
      return result({ callId, name, output }, `/responses/${index}`);
    });
    return { role, items: responses };
  },
};
