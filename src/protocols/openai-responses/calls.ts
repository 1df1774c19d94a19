import type { CallKind } from "../../conversation/exchange.ts";

interface ResponsesCall extends CallKind {
  /** Who runs the call; `either`: the item states it. */
  readonly runBy: "client" | "provider" | "either";
}

const hosted: ResponsesCall = { runBy: "provider", results: [] };

/**
 * The kinds of call, and the kinds of output that answer them.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const callKinds: ReadonlyMap<string, ResponsesCall> = new Map(
  Object.entries<ResponsesCall>({
    function_call: {
      runBy: "client",
      // The second is a chat result in the form before tools, which gateways leave among the items.
      results: ["function_call_output", "function_call"],
      pairsByOrder: true,
      isUnreferable: true,
      idPrefix: "fc",
    },
    custom_tool_call: { runBy: "client", results: ["custom_tool_call_output"], idPrefix: "ctc" },
    // Codex answers it with a plain function output.
    local_shell_call: { runBy: "client", results: ["local_shell_call_output", "function_call_output"] },
    shell_call: { runBy: "either", results: ["shell_call_output"] },
    apply_patch_call: { runBy: "client", results: ["apply_patch_call_output"] },
    computer_call: { runBy: "client", results: ["computer_call_output"] },
    tool_search_call: { runBy: "either", results: ["tool_search_output"] },
    web_search_call: hosted,
    file_search_call: hosted,
    code_interpreter_call: hosted,
    image_generation_call: hosted,
    mcp_call: hosted,
    mcp_list_tools: hosted,
    program: { runBy: "provider", results: ["program_output"] },
  }),
);

export const typesOfResults: ReadonlySet<unknown> = new Set(
  [...callKinds.values()].flatMap(({ results }) => results),
);
