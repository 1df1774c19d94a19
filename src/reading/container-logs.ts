import { unescapeBytes } from "./escapes.ts";
import { scanJson } from "./scan.ts";
import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import {
  type Inverse,
  mapThroughSegments,
  type SegmentWriter,
  segmentedView,
  sourceOver,
  wholeView,
} from "./view.ts";

/** What a runtime of containers keeps of a line that a program wrote, in one record or in several. */
interface KeptLine {
  readonly stream: string;
  /** The range of the text. */
  readonly start: number;
  readonly end: number;
  /** More of the line follows in the next record of its stream. */
  readonly isPart: boolean;
}

interface Runtime {
  /** The text in a record; `undefined` for a line that is no record. */
  lineIn(bytes: Buffer, start: number, end: number): KeptLine | undefined;
  copy(plain: Segments, bytes: Buffer, line: KeptLine): void;
  readonly write: SegmentWriter;
}

/**
 * Docker's driver `json-file`: `{"log":"text\n","stream":"stdout","time":"…"}`.
 * @see https://docs.docker.com/engine/logging/drivers/json-file/
 */
const docker: Runtime = {
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
    };
  },
  copy(plain, bytes, { start, end }) {
    const { bytes: text, segments } = unescapeBytes(bytes.subarray(start, end));
    for (const [place, { at, from, length, width }] of segments.entries()) {
      if (width === undefined) plain.copy(start + from, start + from + length);
      else {
        const next = segments[place + 1]?.at ?? text.length;
        plain.write(text.subarray(at, next), start + from, start + from + width);
      }
    }
  },
  write: ({ bytes }) => Buffer.from(JSON.stringify(bytes.toString("utf8")).slice(1, -1)),
};

/**
 * The Container Runtime Interface of Kubernetes: `2026-01-05T12:00:00.0Z stdout F text`, with `P` for a part.
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
const kubernetes: Runtime = {
  lineIn(bytes, start, end) {
    const head = /^\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([PF])(?:\S{0,20}) /.exec(
      bytes.toString("latin1", start, Math.min(end, start + 80)),
    );
    if (!head) return undefined;
    const isPart = head[2] === "P";
    const feed = isPart && bytes[end - 1] === LINE_FEED ? 1 : 0;
    return { stream: head[1] ?? "", start: start + head[0].length, end: end - feed, isPart };
  },
  copy: (plain, _, { start, end }) => plain.copy(start, end),
  write: ({ bytes }) => bytes,
};

const LINE_FEED = 10;

/** The output of a program that Docker kept as JSON; `undefined` for any other log. */
export function dockerOutput(source: ByteSource): ByteSource | undefined {
  return outputOf(source, docker);
}

/** The output of a program in a log of Kubernetes; any other source as it is. */
export function kubernetesOutput(source: ByteSource): ByteSource {
  return outputOf(source, kubernetes) ?? source;
}

/** Whether a log begins as Docker keeps it. */
export function beginsAsDocker(head: Buffer): boolean {
  return /^\s*\{"log":"(?:[^"\\]|\\.){0,20000}","stream":"std(?:out|err)"/.test(head.toString("utf8"));
}

/** What a program wrote, a line at a time. A line of the other stream follows the one that it came into. */
function outputOf(source: ByteSource, runtime: Runtime): ByteSource | undefined {
  const bytes = source.read(0, source.size);
  if (!runtime.lineIn(bytes, 0, endOfLine(bytes, 0))) return undefined;
  const plain = new Segments(bytes);
  const waiting: (KeptLine | readonly [from: number, to: number])[] = [];
  const copy = (line: (typeof waiting)[number]): void => {
    if ("stream" in line) runtime.copy(plain, bytes, line);
    else plain.copy(line[0], line[1]);
  };
  let open: string | undefined;
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    next = endOfLine(bytes, at);
    const line = runtime.lineIn(bytes, at, next);
    if (open !== undefined && line?.stream !== open) {
      waiting.push(line ?? [at, next]);
      continue;
    }
    copy(line ?? [at, next]);
    open = line?.isPart ? line.stream : undefined;
    if (open === undefined) for (const other of waiting.splice(0)) copy(other);
  }
  for (const other of waiting) copy(other);
  const base = wholeView(source);
  const { segments, length } = plain;
  const mapPatches: Inverse["mapPatches"] = (patches) => {
    const mapped = mapThroughSegments(patches, length, segments, runtime.write);
    return "why" in mapped
      ? mapped
      : { ...mapped, patches: mapped.patches.toSorted((a, b) => a.start - b.start) };
  };
  return sourceOver({ ...segmentedView(base, plain.bytes, segments), inverse: { base, mapPatches } });
}

function endOfLine(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 ? bytes.length : feed + 1;
}
