import type { ByteSource } from "../../reading/source.ts";
import type { Container, Recording } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { jsonl } from "./jsonl.ts";
import { recordLengths } from "./stated-lengths.ts";

/** The newest recording version that this program reads. */
const newest = 1;

/** Recordings of `toollint record`: JSON lines, one exchange each. */
export const recording: Container = {
  name: "recording",
  summary: "recordings of `toollint record`: one exchange per line",
  signs: "a first line that says so",
  recognize: (head) => (recordingVersionOf(head.toString("latin1", 0, 64)) === undefined ? 0 : 1),
  read: readRecording,
  lengths: recordLengths,
};

/** The version in the first line of a recording; `undefined` if it is not one. */
function recordingVersionOf(head: string): number | undefined {
  const version = /^\{"toollintRecording":(\d{1,6})[,}]/.exec(head)?.[1];
  return version === undefined ? undefined : Number(version);
}

/** Whether a newer version of toollint wrote it, whose lines may have another meaning. */
export function isNewerRecording(head: string): boolean {
  return (recordingVersionOf(head) ?? 0) > newest;
}

function readRecording(source: ByteSource, recognizer: Recognizer): Recording {
  if (!isNewerRecording(source.read(0, 64).toString("latin1")))
    return { ...jsonl.read(source, recognizer), container: "recording" };
  const message = "a newer version of toollint recorded this";
  const origin = { source, start: 0, end: source.size };
  return {
    container: "recording",
    kind: "requests",
    candidates: [],
    defects: [{ kind: "broken", origin, message }],
    skipped: [],
  };
}
