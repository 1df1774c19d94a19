import type { Runtime } from "../../reading/container-logs.ts";
import { textStart } from "../../reading/source.ts";
import type { Container } from "../../traffic/container.ts";
import { readOutput } from "./program-output.ts";
import { kubernetesData, kubernetesHead } from "./runtimes.ts";

const LINE_FEED = 10;

/** `2026-01-05T12:00:00.0Z stdout F text`, with `P` for a part of a line. */
const kubernetesLines: Runtime = {
  lineIn(bytes, start, end) {
    const from = textStart(bytes, start);
    const head = kubernetesHead.exec(bytes.toString("latin1", from, Math.min(end, from + 80)));
    if (!head) return undefined;
    const isPart = head[2] === "P";
    const feed = isPart && bytes[end - 1] === LINE_FEED ? 1 : 0;
    return { stream: head[1] ?? "", start: from + head[0].length, end: end - feed, isPart };
  },
  copy: (plain, _, { start, end }) => plain.copy(start, end),
  // A line without a head would be no line of the program: what is written stays within one.
  write: ({ bytes }) =>
    bytes.includes(LINE_FEED)
      ? Buffer.from(
          bytes
            .toString("utf8")
            .split(/\r?\n[ \t]*/)
            .join(" "),
        )
      : bytes,
};

export const kubernetes: Container = {
  ...kubernetesData,
  read: (source, recognizer) => readOutput(source, kubernetesLines, recognizer, "kubernetes"),
};
