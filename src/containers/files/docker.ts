import { beginsAsDocker, dockerOutput } from "../../reading/container-logs.ts";
import { level } from "../../traffic/certainty.ts";
import { type Container, wholeFile } from "../../traffic/container.ts";
import { jsonl } from "./jsonl.ts";
import { text } from "./text/text.ts";

/** What a program in a container printed, as Docker keeps it: read like the program's own log. */
export const docker: Container = {
  name: "docker",
  isLogOfProgram: true,
  summary:
    "a log of Docker's driver json-file: what a program printed, a line or a part of it in each record",
  signs: "records with log, stream and time",
  maxSize: wholeFile,
  recognize: (head) => (beginsAsDocker(head) ? level.nearlyCertain : 0),
  read(source, recognizer) {
    const output = dockerOutput(source) ?? source;
    const head = output.read(0, Math.min(output.size, headSize));
    const inner = jsonl.recognize(head, head.length === output.size) >= level.plausible ? jsonl : text;
    return { ...inner.read(output, recognizer), container: docker.name };
  },
};

/** How much of the output tells its form, in bytes. */
const headSize = 64 << 10;
