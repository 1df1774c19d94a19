import { expect, test } from "vitest";
import { lineAt } from "../../src/containers/files/text/lines.ts";
import { nextValue } from "../../src/containers/files/text/value-starts.ts";

const startIn = (text: string): number => {
  const bytes = Buffer.from(text);
  return nextValue(bytes, 0, lineAt(bytes, 0));
};

test("a printed object is looked at where it speaks of a conversation", () => {
  expect(startIn("INFO got ToolCall[id=c1, name=add]")).toBe(9);
  expect(startIn("INFO got [UserMessage{content='Hi'}]")).toBe(9);
});

test("objects of other programs are passed over, since logs of use have one a line", () => {
  expect(startIn("INFO handled Order[id=7, total=21] in 3ms")).toBe(-1);
  expect(startIn("INFO loaded [User{id=7}, User{id=8}]")).toBe(-1);
});
