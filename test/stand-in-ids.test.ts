import { expect, test } from "vitest";
import { check } from "../src/index.ts";

const said = (id: string, text: string) => ({
  id,
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

async function found(ids: readonly [string, string, string]): Promise<string[]> {
  const input = [
    { role: "user", content: "Is order 4711 on its way?" },
    said(ids[0], "Yes, it left the warehouse on Monday."),
    { role: "user", content: "And order 4712?" },
    said(ids[1], "That one is still being packed, it goes out tomorrow."),
    said(ids[2], "Shall I tell you when it does?"),
    { role: "user", content: "Please do." },
  ];
  const { findings } = await check(Buffer.from(JSON.stringify({ model: "gpt-5-mini", input })));
  return findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, cause }) => `${rule}${cause === null ? "" : " (follows)"}`);
}

test("an id that a library writes where there is none is one mistake, however many items have it", async () => {
  const roots = (await found(["__fake_id__", "__fake_id__", "__fake_id__"])).filter(
    (rule) => !rule.endsWith("(follows)"),
  );
  expect(new Set(roots)).toEqual(new Set(["invalid-call-id"]));
});

test("an item that is sent twice under its own id is resent, whatever other ids are", async () => {
  expect(await found(["msg_1", "msg_1", "__fake_id__"])).toEqual(
    expect.arrayContaining(["resent-items", "invalid-call-id"]),
  );
});
