import { expect, test } from "vitest";
import { unreadSentence } from "../src/log/unsupported-inputs.ts";
import { bytesSource } from "../src/reading/source.ts";

function said(text: string): string {
  const source = bytesSource("run.log", Buffer.from(text));
  return unreadSentence(source, { retry: "toollint check", meaningOf: () => undefined });
}

test.each([
  ["Node", "response { choices: [ [Object] ] }", /console\.log.*\n.*JSON\.stringify/],
  [
    ".NET",
    "ChatResponse { Messages = System.Collections.Generic.List`1[Microsoft.Extensions.AI.ChatMessage], FinishReason = tool_calls }",
    /of \.NET.*\n.*JsonSerializer/,
  ],
  [
    ".NET, a call",
    "FunctionCallContent { CallId = call_1, Name = get_fare, Arguments = System.Collections.Generic.Dictionary`2[System.String,System.Object] }",
    /of \.NET/,
  ],
  [
    "Go",
    "resp: &{ID:chatcmpl-1 Choices:[0xc00012a000 0xc00012a0a0] Usage:{1 2 3}}",
    /of Go.*\n.*json\.Marshal/,
  ],
  [
    "Go, with types",
    "&genai.GenerateContentResponse{Candidates:[]*genai.Candidate{(*genai.Candidate)(0xc000123456)}}",
    /of Go/,
  ],
  [
    "Java",
    "ChatRequest[messages=[com.example.ChatMessage@6d06d69c, com.example.ChatMessage@7852e922], tools=[]]",
    /of Java.*\n.*writeValueAsString/,
  ],
  [
    "Python",
    "{'messages': [<openai.types.chat.Message object at 0x7f8b1c2d3e50>]}",
    /of Python.*\n.*model_dump_json/,
  ],
])("a print without what the objects hold says how to print all: %s", (_, text, sentence) => {
  expect(said(text)).toMatch(sentence);
});

test.each([
  "the arguments: 0xc and System.Collections are names",
  "message=user@example.com",
  "content = System.out.println(message)",
])("other words are no such print: %s", (text) => {
  expect(said(text)).toMatch(/no conversation was found/);
});
