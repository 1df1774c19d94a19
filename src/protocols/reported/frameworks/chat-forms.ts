import type { Framework } from "./framework.ts";

/**
 * These keep messages in the form of a chat API, or in words that all messages here are read by; only their
 * lists need a name.
 */

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

/** Data for training in ShareGPT's form. */
export const shareGpt: Framework = { messageKeys: [["from", "value"]] };
