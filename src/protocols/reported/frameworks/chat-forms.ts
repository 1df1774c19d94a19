import type { Framework } from "./framework.ts";

/** These tools store messages in forms that the common reader knows; only their lists need a name. */

export const sweAgent: Framework = {
  listed: {
    name: "swe-agent",
    summary: "trajectories of SWE-agent",
    signs: "history of messages, whose results have tool_call_ids",
  },
};

export const tauBench: Framework = {
  listed: { name: "tau-bench", summary: "results of τ-bench", signs: "task_id, reward and traj" },
};

export const agno: Framework = { listed: { row: "frameworks", name: "Agno" } };

/** Its calls and results stand under their ids, in the form of MCP. */
export const fastAgent: Framework = { listed: { row: "frameworks", name: "fast-agent" } };

/** Training data in ShareGPT's form. */
export const shareGpt: Framework = { messageKeys: [["from", "value"]] };
