import { pushAll, type Range } from "../../../reading/lists.ts";
import type { ByteSource } from "../../../reading/source.ts";
import {
  type MappedPatches,
  mapThroughSegments,
  type Patch,
  type Segment,
  segmentedView,
  sourceOver,
  wholeView,
} from "../../../reading/view.ts";
import type { Container } from "../../../traffic/container.ts";
import { cassette, yamlData } from "../cassettes/cassette.ts";
import { type ScalarReader, scalarReader, yamlDocumentsIn } from "../cassettes/yaml-document.ts";
import { type JsonView, jsonView } from "../cassettes/yaml-json.ts";
import { fencedBlocks } from "./code-blocks.ts";

/** A container of texts, for one in which people quote YAML, such as a report that a bug tracker keeps. */
export function readingYaml(text: Container): Container {
  return {
    ...text,
    read(source, recognizer) {
      const restored = withYamlBlocks(source);
      const recording = text.read(restored, recognizer);
      return restored === source ? recording : { ...recording, restored: recording.restored ?? restored };
    },
  };
}

/** A document of YAML, and where its JSON stands in the text that is read. */
interface WrittenDocument {
  readonly at: number;
  readonly view: JsonView;
}

/** A text with each block of YAML that holds a conversation as JSON; repairs reach the YAML. */
function withYamlBlocks(source: ByteSource): ByteSource {
  const bytes = source.read(0, source.size);
  const reader = scalarReader(source);
  const parts: Buffer[] = [];
  const segments: Segment[] = [];
  const documents: WrittenDocument[] = [];
  let [length, done] = [0, 0];
  const put = (part: Buffer, own: readonly Segment[]): void => {
    for (const segment of own) segments.push({ ...segment, at: segment.at + length });
    parts.push(part);
    length += part.length;
  };
  const copy = (end: number): void => {
    put(bytes.subarray(done, end), [{ at: 0, from: done, length: end - done }]);
    done = end;
  };
  for (const block of fencedBlocks(bytes.toString("latin1"))) {
    const views = viewsOf(source, bytes, block, reader);
    if (views.length === 0) continue;
    copy(block.start);
    for (const view of views) {
      put(lineEnd, [{ at: 0, from: done, length: 0 }]);
      documents.push({ at: length, view });
      put(view.read(0, view.size), view.segments);
    }
    done = block.end;
    put(lineEnd, [{ at: 0, from: done, length: 0 }]);
  }
  if (documents.length === 0) return source;
  copy(bytes.length);
  const base = wholeView(source);
  const mapPatches = (patches: readonly Patch[]): MappedPatches => {
    const found: Patch[] = [];
    let left = [...patches];
    for (const { at, view } of documents) {
      const isOwn = ({ start, end }: Patch): boolean => start >= at && end <= at + view.size;
      const own = left.filter(isOwn);
      if (own.length === 0) continue;
      left = left.filter((patch) => !isOwn(patch));
      const mapped = view.inverse.mapPatches(
        own.map((patch) => ({ ...patch, start: patch.start - at, end: patch.end - at })),
      );
      if ("why" in mapped) return mapped;
      pushAll(found, mapped.patches);
    }
    const others = mapThroughSegments(left, length, segments, () => undefined);
    if ("why" in others) return others;
    return { patches: [...found, ...others.patches].sort((a, b) => a.start - b.start) };
  };
  const view = segmentedView(base, Buffer.concat(parts), segments);
  return sourceOver({ ...view, inverse: { base, mapPatches } });
}

const lineEnd = Buffer.from("\n");

/** The documents of a block that is YAML with a conversation, as JSON; none for any other block. */
function viewsOf(source: ByteSource, bytes: Buffer, block: Range, reader: ScalarReader): JsonView[] {
  const head = Buffer.from(dedented(bytes.toString("latin1", block.start, block.end)), "latin1");
  if (yamlData.recognize(head) === 0 && cassette.recognize(head) === 0) return [];
  const views: JsonView[] = [];
  let left = mostPerByte * (block.end - block.start);
  for (const { root, flaws } of yamlDocumentsIn(bytes, block.start, block.end)) {
    if (!root || flaws.length > 0) return [];
    const view = jsonView(source, root, reader);
    left -= view.size;
    if (left < 0) return [];
    views.push(view);
  }
  return views;
}

/** The longest JSON that a block is read as, for each byte of its YAML: aliases may repeat it. */
const mostPerByte = 16;

/** A block without the margin that it has in a list of Markdown. */
function dedented(block: string): string {
  const margin = /^\s*\n( +)\S/.exec(block)?.[1] ?? "";
  return margin === "" ? block : block.replaceAll(`\n${margin}`, "\n");
}
