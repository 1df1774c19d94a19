import { expect, test } from "vitest";
import { credentialsInBodies } from "../../src/fix/masks.ts";
import { openLog } from "../../src/log/open.ts";
import { memorySource } from "../../src/reading/source.ts";
import { leaks } from "../secrets/kinds.ts";
import { found, logOf, looks, tells } from "./log.ts";

test("credentials in bodies are counted once each, examples and other encodings included or left out as the rule does", async () => {
  const keys = leaks
    .filter(({ kind }) => ["Groq", "npm", "AWS, secret"].includes(kind))
    .map(({ text }) => text);
  const asks = { role: "user", content: `${keys.join("\n")}\nOPENAI_API_KEY=sk-your-key-here` };
  const text = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, found], back: tells },
  ]);
  const { exchanges } = await openLog({
    path: "run.jsonl",
    source: memorySource("run.jsonl", Buffer.from(text)),
  });
  expect(credentialsInBodies(exchanges)).toBe(3);
});
