import type { Container } from "../../traffic/container.ts";
import { jsonl } from "./jsonl.ts";
import { recordLengths } from "./stated-lengths.ts";

/** A raw stream of JSON lines (Ollama). Each line is an event; together they make one reply. */
export const ndjson: Container = {
  name: "ndjson",
  isLogOfProgram: true,
  summary: "a raw stream of JSON lines, as Ollama sends it",
  signs: "only by name; as JSON lines it reads the same",
  // JSON lines read it equally well, so it is chosen only by name.
  recognize: () => 0,
  read: (source, recognizer) => ({ ...jsonl.read(source, recognizer), container: "ndjson" }),
  lengths: recordLengths,
};
