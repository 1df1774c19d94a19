import { expect, test } from "vitest";
import { callWords, resultWords } from "../src/rules/call-words.ts";

test("a call is named by its id and its tool", () => {
  expect(callWords({ callId: "call_1", tool: "find_city" })).toBe("call `call_1` to `find_city`");
  expect(resultWords({ callId: "call_1", tool: "find_city" })).toBe("the result of `find_city` (`call_1`)");
});

test("a call without an id of its own is named by its tool, once", () => {
  for (const callId of ["", "find_city"]) {
    expect(callWords({ callId, tool: "find_city" })).toBe("the call to `find_city`");
    expect(resultWords({ callId, tool: "find_city" })).toBe("the result of `find_city`");
  }
});
