import { withoutCodes } from "../../reading/terminal-codes.ts";
import { level } from "../../traffic/certainty.ts";
import { wholeFile } from "../../traffic/container.ts";

/** Recognizes what others keep of a program's output; their readers are loaded when needed. */

/** The rest of a record: a file that was rotated or cut by size may begin with it. */
const restOfRecord = /^(?!\s*[{[])[^\n]{0,20000}\n/;

/** Whether a text begins with a record as `form` says, or its second line does. */
function beginsWith(form: RegExp, head: string): boolean {
  const plain = withoutCodes(head);
  return form.test(plain) || form.test(plain.replace(restOfRecord, ""));
}

const dockerRecord = /^\s*\{"log":"(?:[^"\\]|\\.){0,20000}","stream":"std(?:out|err)"/;

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
    beginsWith(dockerRecord, head.toString("utf8")) ? level.nearlyCertain : 0,
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
    beginsWith(kubernetesHead, head.toString("latin1")) ? level.nearlyCertain : 0,
} as const;

/**
 * What the container of Jupyter's notebooks states without its reader. A notebook begins with its cells, or
 * with a few lines about its kernel.
 * @see https://nbformat.readthedocs.io/en/latest/format_description.html
 */
export const notebookData = {
  name: "notebook",
  summary: "a notebook of Jupyter: what its cells printed or showed as data",
  signs: "cells with cell_type and outputs",
  readsAll: true,
  maxSize: wholeFile,
  recognize: (head: Buffer): number => {
    const text = head.toString("utf8");
    return /^\uFEFF?\s*\{/.test(text) && /"cells"\s*:\s*\[\s*\{/.test(text) && cellType.test(text)
      ? level.nearlyCertain
      : 0;
  },
} as const;

/** A picture in the first cell may be longer than the head, and it stands before the type of the cell. */
const cellType = /"cell_type"\s*:\s*"(?:code|markdown|raw)"|"cells"\s*:\s*\[\s*\{\s*"attachments"\s*:\s*\{/;

/** What the container of asciinema's recordings states without its reader. */
export const asciicastData = {
  name: "asciicast",
  isLogOfProgram: true,
  summary: "a terminal session that asciinema recorded (`.cast`): what the terminal showed",
  signs: "a first line, or a document, with a version and the size of the terminal",
  readsAll: true,
  maxSize: wholeFile,
  recognize: (head: Buffer): number => (recordedTerminal.test(head.toString("latin1", 0, 4096)) ? 1 : 0),
} as const;

/** The header of versions 2 and 3, and how a document of version 1 begins. */
const recordedTerminal =
  /^\s*\{\s*"version"\s*:\s*(?:[23]\s*,\s*"(?:width|height|term)"|1\s*,\s*"(?:width|height)"\s*:\s*\d{1,5}\s*,\s*"(?:width|height)")/;
