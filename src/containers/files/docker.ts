import type { Runtime } from "../../reading/container-logs.ts";
import { scanJson } from "../../reading/scan.ts";
import type { Container } from "../../traffic/container.ts";
import { copyText, readOutput, writeText } from "./program-output.ts";
import { dockerData } from "./runtimes.ts";

/** `{"log":"text\n","stream":"stdout","time":"…"}`. */
const dockerRecords: Runtime = {
  lineIn(bytes, start, end) {
    const node = scanJson(bytes, start, end);
    const member = (name: string) => node?.members?.find(({ key }) => key === name)?.node;
    const [log, stream] = [member("log"), member("stream")];
    if (node?.state !== "complete" || log?.kind !== "string" || stream?.kind !== "string") return undefined;
    return {
      stream: bytes.toString("latin1", stream.start, stream.end),
      start: log.start + 1,
      end: log.end - 1,
      isPart: bytes.toString("latin1", log.end - 3, log.end - 1) !== "\\n",
      ...(bytes.toString("latin1", node.end, end).trim() !== "" && { rest: node.end }),
    };
  },
  copy: (plain, bytes, { start, end }) => copyText(plain, bytes, start, end),
  write: writeText,
};

export const docker: Container = {
  ...dockerData,
  read: (source, recognizer) => readOutput(source, dockerRecords, recognizer, "docker"),
};
