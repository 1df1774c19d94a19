import { argumentsValue, customInput, type ReplyContext, type ServedItem } from "../server-side.ts";
import { argumentsText, defined, type Fields, fields, filled, list, lookUp } from "../wire.ts";

type Call = Extract<ServedItem, { kind: "call" }>;

export type ItemStatus = "completed" | "incomplete";

/** How the model calls a tool that OpenAI defines and the client runs. */
interface LocalForm {
  readonly type: string;
  readonly prefix: string;
  members(value: unknown): Fields;
}

const computer: LocalForm = {
  type: "computer_call",
  prefix: "cu_",
  members: (action) => ({ action, pending_safety_checks: [] }),
};

/**
 * By the type of the tool, which is its name, too. The arguments are the action or operation.
 * @see https://platform.openai.com/docs/guides/tools-local-shell
 * @see https://platform.openai.com/docs/guides/tools-apply-patch
 */
const localForms: Readonly<Record<string, LocalForm>> = {
  local_shell: {
    type: "local_shell_call",
    prefix: "lsh_",
    members: (action) => ({ action: { type: "exec", env: {}, ...fields(action) } }),
  },
  shell: {
    type: "shell_call",
    prefix: "sh_",
    members: (action) => ({
      action: { max_output_length: null, timeout_ms: null, ...fields(action) },
      environment: null,
    }),
  },
  apply_patch: {
    type: "apply_patch_call",
    prefix: "apc_",
    members: (operation) => ({ operation }),
  },
  computer_use_preview: computer,
  computer,
};

/** A call as an item of the output, in the form of the tool that the request declares. */
export function callItem(call: Call, status: ItemStatus, { fields: body, newId }: ReplyContext): Fields {
  const callId = call.id ?? newId("call_", 24);
  const declared = declaredTool(list(body["tools"]), call.name);
  if (declared?.tool["type"] === "custom") {
    return defined({
      id: newId("ctc_", 50, "hex"),
      type: "custom_tool_call",
      status,
      call_id: callId,
      input: customInput(call.arguments),
      name: call.name,
      namespace: declared.namespace,
    });
  }
  const form = declared ? lookUp(localForms, filled(declared.tool["type"])) : undefined;
  if (form) {
    const value = argumentsValue(call.arguments);
    return {
      id: newId(form.prefix, 50, "hex"),
      type: form.type,
      status,
      call_id: callId,
      ...form.members(value),
    };
  }
  return defined({
    id: newId("fc_", 50, "hex"),
    type: "function_call",
    status,
    arguments: argumentsText(call.arguments),
    call_id: callId,
    name: call.name,
    namespace: declared?.namespace,
  });
}

interface DeclaredTool {
  readonly tool: Fields;
  /** The namespace that contains it. */
  readonly namespace: string | undefined;
}

function declaredTool(tools: readonly unknown[], name: string, namespace?: string): DeclaredTool | undefined {
  for (const entry of tools) {
    const tool = fields(entry);
    if (tool["type"] === "namespace") {
      const inside = declaredTool(list(tool["tools"]), name, filled(tool["name"]));
      if (inside) return inside;
    } else if ((filled(tool["name"]) ?? tool["type"]) === name) return { tool, namespace };
  }
  return undefined;
}
