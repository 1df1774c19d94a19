import type { Runtime } from "../../reading/container-logs.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { scanJson } from "../../reading/scan.ts";
import { textStart } from "../../reading/source.ts";
import type { Container } from "../../traffic/container.ts";
import { copyText, readOutput, writeText } from "./program-output.ts";
import { dockerData } from "./runtimes.ts";

/** `{"log":"text\n","stream":"stdout","time":"…"}`. */
const dockerRecords: Runtime = {
  lineIn(bytes, start, end) {
    const node = scanJson(bytes, textStart(bytes, start), end);
    const member = (name: string) => node?.members?.find(({ key }) => key === name)?.node;
    const [log, stream] = [member("log"), member("stream")];
    if (node?.state !== "complete" || log?.kind !== "string" || stream?.kind !== "string") return undefined;
    const rest = restBehind(bytes, node, end);
    return {
      stream: bytes.toString("latin1", stream.start, stream.end),
      start: log.start + 1,
      end: log.end - 1,
      isPart: bytes.toString("latin1", log.end - 3, log.end - 1) !== "\\n",
      ...(rest !== undefined && { rest }),
    };
  },
  copy: (plain, bytes, { start, end }) => copyText(plain, bytes, start, end),
  write: writeText,
};

/**
 * Where another record begins on the line: in this one where a bracket closes in the wrong place, or behind
 * it, perhaps with brackets or the comma of a list before.
 */
function restBehind(bytes: Buffer, node: JsonNode, end: number): number | undefined {
  const inner = node.members?.find((each) => each.node.members?.some(({ key }) => key === "log"));
  if (inner) return inner.node.start;
  const at = bytes.toString("latin1", node.end, end).search(/[^\s,}\]]/);
  return at < 0 ? undefined : node.end + at;
}

export const docker: Container = {
  ...dockerData,
  read: (source, recognizer) => readOutput(source, dockerRecords, recognizer, "docker"),
};
