import { expect, test } from "vitest";
import { credentialIn, mayHoldProven } from "../../src/secrets/find.ts";
import { leaks } from "./kinds.ts";

const prose = "The parser reads a line, and keeps its offset. ";
const shifts = Array.from({ length: 20 }, (_, index) => ".".repeat(index).replaceAll(".", "a "));

test("prose is not searched for credentials", () => {
  expect(mayHoldProven(prose.repeat(100))).toBe(false);
});

test("every text in which a credential is proven is searched, wherever the credential stands", () => {
  const proven = leaks.filter(({ text }) => credentialIn(text) !== undefined);
  expect(proven.length).toBeGreaterThan(50);
  for (const { kind, text } of proven)
    for (const shift of shifts) expect(credentialIn(`${prose}${shift}${text} ${prose}`), kind).toBeDefined();
});

test("a credential may be written with escapes, or have a key's dashes for its only run", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${["MIIEvQIBADAN", "Bgkqhkiw0BAQ", "EFSCBKcwggS2", "Vt9xLm3Zr7Ue"].join("\n")}\n-----END PRIVATE KEY-----`;
  expect(credentialIn(`${prose}${key}`)).toBe("a private key");
  const escaped = "gh%70_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6";
  expect(credentialIn(`${prose}${escaped}`)).toBe("a GitHub token");
});
