import { level } from "../../traffic/certainty.ts";
import { wholeFile } from "../../traffic/container.ts";

/** Recognizes what runtimes of containers keep of a program's output; their reader is loaded when needed. */

/**
 * What the container of Docker's driver `json-file` states without its reader.
 * @see https://docs.docker.com/engine/logging/drivers/json-file/
 */
export const dockerData = {
  name: "docker",
  isLogOfProgram: true,
  summary:
    "a log of Docker's driver json-file: what a program printed, a line or a part of it in each record",
  signs: "records with log, stream and time",
  maxSize: wholeFile,
  recognize: (head: Buffer): number =>
    /^\s*\{"log":"(?:[^"\\]|\\.){0,20000}","stream":"std(?:out|err)"/.test(head.toString("utf8"))
      ? level.nearlyCertain
      : 0,
} as const;

/** The head of a line in a log of Kubernetes: the time, the stream, and `P` for a part of a line. */
export const kubernetesHead =
  /^\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([PF])(?::\S{0,20})? /;

/**
 * The same for the files that Kubernetes keeps on its nodes.
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
export const kubernetesData = {
  name: "kubernetes",
  isLogOfProgram: true,
  summary: "a log file of a Kubernetes node: what a program printed, a line or a part of it in each line",
  signs: "lines that begin with a time, stdout or stderr, and F or P",
  maxSize: wholeFile,
  recognize: (head: Buffer): number =>
    kubernetesHead.test(head.toString("latin1", 0, 80)) ? level.nearlyCertain : 0,
} as const;
