import { speakerOf } from "../../../traffic/roles.ts";
import { fields, list, string } from "../../wire.ts";
import { decodeParts } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Mastra's store: a message holds the model's calls together with their results. */
export const mastra: Framework = {
  listed: { row: "frameworks", name: "Mastra" },
  decode({ role: word, content }) {
    const role = speakerOf(string(word));
    const parts = list(fields(content)["parts"]);
    if (role === undefined || parts.length === 0) return undefined;
    return {
      role,
      items: decodeParts(parts, role, "/content/parts"),
    };
  },
};
