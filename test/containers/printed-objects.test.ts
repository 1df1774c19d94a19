import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Logs in which a program printed its own objects: nothing of the wire is in them. */

async function findingsOf(log: string): Promise<readonly string[]> {
  const { findings } = await check(log);
  return findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);
}

const unanswered =
  "warning unanswered-tool-call: call `call_2` to `weather` has no result anywhere in this request";

describe("messages that Spring AI prints", () => {
  const call = (id: string, city: string): string =>
    `ToolCall[id=${id}, type=function, name=weather, arguments={"city":"${city}"}]`;
  const prompt = (calls: string): string =>
    `2026-01-02 DEBUG advisor: request: Prompt{messages=[SystemMessage{textContent='You help, always.', messageType=SYSTEM, metadata={messageType=SYSTEM}}, UserMessage{content='Rain in [Oslo] or Rome?', properties={messageType=USER}, messageType=USER}, AssistantMessage [messageType=ASSISTANT, toolCalls=[${calls}], textContent=, metadata={finishReason=TOOL_CALLS}], ToolResponseMessage{responses=[ToolResponse[id=call_1, name=weather, responseData="rain"]], messageType=TOOL, metadata={messageType=TOOL}}], modelOptions=Options@1f}\n`;

  test("show the call without a result", async () => {
    expect(await findingsOf(prompt(`${call("call_1", "Oslo")}, ${call("call_2", "Rome")}`))).toEqual([
      unanswered,
    ]);
  });

  test("that are complete pass", async () => {
    expect(await findingsOf(prompt(call("call_1", "Oslo")))).toEqual([]);
  });

  test("may be a reply", async () => {
    const log = `ChatResponse [metadata={ id: x }, generations=[Generation[assistantMessage=AssistantMessage [messageType=ASSISTANT, toolCalls=[${call("call_1", "Oslo")}], textContent=, metadata={}], chatGenerationMetadata=DefaultMetadata[finishReason=TOOL_CALLS]]]]\n`;
    expect(await findingsOf(log)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });
});

describe("messages that LangChain4j prints", () => {
  const request = (id: string): string =>
    `ToolExecutionRequest { id = "${id}", name = "weather", arguments = "{"city":"Oslo"}" }`;
  const history = (...ids: readonly string[]): string =>
    `messages: [SystemMessage { text = "Help." }, UserMessage { name = null contents = [TextContent { text = "Rain?" }] }, AiMessage { text = null toolExecutionRequests = [${ids.map(request).join(", ")}] }, ToolExecutionResultMessage { id = "call_1" toolName = "weather" text = "rain" }]\n`;

  test("show the call without a result", async () => {
    expect(await findingsOf(history("call_1", "call_2"))).toEqual([unanswered]);
    expect(await findingsOf(history("call_1"))).toEqual([]);
  });

  test("may be a reply", async () => {
    const log = `ChatResponse { aiMessage = AiMessage { text = "I look." toolExecutionRequests = [${request("call_1")}] }, finishReason = TOOL_EXECUTION }\n`;
    expect(await findingsOf(log)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });
});

test("messages that Go prints are those of the wire", async () => {
  const log = (id: string): string =>
    `2026/01/02 15:04:05 messages: [{Role:user Content:Rain: where? ToolCalls:[] ToolCallID:} {Role:assistant Content: ToolCalls:[{ID:call_1 Type:function Function:{Name:weather Arguments:{"city":"Oslo"}}}] ToolCallID:} {Role:tool Content:rain ToolCalls:[] ToolCallID:${id}}]\n`;
  expect(await findingsOf(log("call_2"))).toEqual([
    "error call-id-mismatch: tool result names `call_2`, but the only open call is `call_1` to `weather`",
  ]);
  expect(await findingsOf(log("call_1"))).toEqual([]);
});
