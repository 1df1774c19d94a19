// Written by `npm run build` (indexes.mjs): a format is a module of agents/ that exports `format` and `read`.
import type { LazyContainer } from "../../traffic/container.ts";
import { format as acp } from "./agents/acp.ts";
import { format as adkEvents } from "./agents/adk-events.ts";
import { format as agUi } from "./agents/ag-ui.ts";
import { format as amp } from "./agents/amp.ts";
import { format as antigravity } from "./agents/antigravity.ts";
import { format as chatgpt } from "./agents/chatgpt.ts";
import { format as claudeCode } from "./agents/claude-code.ts";
import { format as claudeManaged } from "./agents/claude-managed.ts";
import { format as claudeStream } from "./agents/claude-stream.ts";
import { format as cline } from "./agents/cline.ts";
import { format as codex } from "./agents/codex.ts";
import { format as codexExec } from "./agents/codex-exec.ts";
import { format as copilot } from "./agents/copilot.ts";
import { format as crush } from "./agents/crush.ts";
import { format as cursorDb } from "./agents/cursor-db.ts";
import { format as cursorStream } from "./agents/cursor-stream.ts";
import { format as deepseekHarness } from "./agents/deepseek-harness.ts";
import { format as droid } from "./agents/droid.ts";
import { format as events } from "./agents/events.ts";
import { format as geminiCli } from "./agents/gemini-cli.ts";
import { format as geminiStream } from "./agents/gemini-stream.ts";
import { format as goose } from "./agents/goose.ts";
import { format as grok } from "./agents/grok.ts";
import { format as hermes } from "./agents/hermes.ts";
import { format as kimi } from "./agents/kimi.ts";
import { format as kimiWire } from "./agents/kimi-wire.ts";
import { format as kiro } from "./agents/kiro.ts";
import { format as langgraph } from "./agents/langgraph.ts";
import { format as langgraphStore } from "./agents/langgraph-store.ts";
import { format as messageRows } from "./agents/message-rows.ts";
import { format as messages } from "./agents/messages.ts";
import { format as openaiAgents } from "./agents/openai-agents.ts";
import { format as opencode } from "./agents/opencode.ts";
import { format as openhands } from "./agents/openhands.ts";
import { format as openhandsTrajectory } from "./agents/openhands-trajectory.ts";
import { format as pi } from "./agents/pi.ts";
import { format as piStream } from "./agents/pi-stream.ts";
import { format as qwenCode } from "./agents/qwen-code.ts";
import { format as strands } from "./agents/strands.ts";
import { format as typedMessages } from "./agents/typed-messages.ts";
import { format as vscodeChat } from "./agents/vscode-chat.ts";
import { sessionContainers } from "./session.ts";

/** Session files of agents. A check loads only the `format` of each module at once (build.mjs). */
export const sessions: readonly LazyContainer[] = sessionContainers([
  [acp, () => import("./agents/acp.ts")],
  [adkEvents, () => import("./agents/adk-events.ts")],
  [agUi, () => import("./agents/ag-ui.ts")],
  [amp, () => import("./agents/amp.ts")],
  [antigravity, () => import("./agents/antigravity.ts")],
  [chatgpt, () => import("./agents/chatgpt.ts")],
  [claudeCode, () => import("./agents/claude-code.ts")],
  [claudeManaged, () => import("./agents/claude-managed.ts")],
  [claudeStream, () => import("./agents/claude-stream.ts")],
  [cline, () => import("./agents/cline.ts")],
  [codex, () => import("./agents/codex.ts")],
  [codexExec, () => import("./agents/codex-exec.ts")],
  [copilot, () => import("./agents/copilot.ts")],
  [crush, () => import("./agents/crush.ts")],
  [cursorDb, () => import("./agents/cursor-db.ts")],
  [cursorStream, () => import("./agents/cursor-stream.ts")],
  [deepseekHarness, () => import("./agents/deepseek-harness.ts")],
  [droid, () => import("./agents/droid.ts")],
  [events, () => import("./agents/events.ts")],
  [geminiCli, () => import("./agents/gemini-cli.ts")],
  [geminiStream, () => import("./agents/gemini-stream.ts")],
  [goose, () => import("./agents/goose.ts")],
  [grok, () => import("./agents/grok.ts")],
  [hermes, () => import("./agents/hermes.ts")],
  [kimi, () => import("./agents/kimi.ts")],
  [kimiWire, () => import("./agents/kimi-wire.ts")],
  [kiro, () => import("./agents/kiro.ts")],
  [langgraph, () => import("./agents/langgraph.ts")],
  [langgraphStore, () => import("./agents/langgraph-store.ts")],
  [messageRows, () => import("./agents/message-rows.ts")],
  [messages, () => import("./agents/messages.ts")],
  [openaiAgents, () => import("./agents/openai-agents.ts")],
  [opencode, () => import("./agents/opencode.ts")],
  [openhands, () => import("./agents/openhands.ts")],
  [openhandsTrajectory, () => import("./agents/openhands-trajectory.ts")],
  [pi, () => import("./agents/pi.ts")],
  [piStream, () => import("./agents/pi-stream.ts")],
  [qwenCode, () => import("./agents/qwen-code.ts")],
  [strands, () => import("./agents/strands.ts")],
  [typedMessages, () => import("./agents/typed-messages.ts")],
  [vscodeChat, () => import("./agents/vscode-chat.ts")],
]);
