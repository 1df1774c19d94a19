import type { Container } from "../../traffic/container.ts";
import { jsonl } from "./jsonl.ts";
import { recordLengths } from "./stated-lengths.ts";

/** A stream kept raw whose events are lines of JSON (Ollama): each line is an event, and they are joined to one reply. */
export const ndjson: Container = {
  name: "ndjson",
  isLogOfProgram: true,
  summary: "a raw stream of JSON lines, as Ollama sends it",
  signs: "only by name: as JSON lines it reads the same",
  // JSON lines read it just as well: every line is found to be an event. The name is for asking for it.
  recognize: () => 0,
  read: (source, recognizer) => ({ ...jsonl.read(source, recognizer), container: "ndjson" }),
  lengths: recordLengths,
};
