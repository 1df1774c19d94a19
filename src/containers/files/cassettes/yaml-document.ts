import { Composer, CST, type Document, Lexer, Parser } from "yaml";
import { type ByteSource, textStart } from "../../../reading/source.ts";
import { textAround } from "../../../reading/surroundings.ts";
import {
  type Inverse,
  type MappedPatches,
  type Patch,
  packedView,
  segmentedView,
  type View,
  wholeView,
} from "../../../reading/view.ts";
import type { ScalarText } from "./scalar-writer.ts";
import { isTooDeep } from "./yaml-depth.ts";
import { blockIndents } from "./yaml-indents.ts";
import {
  mostAliases,
  nodesOf,
  type UnfollowedAliases,
  type YamlNode,
  type YamlScalar,
} from "./yaml-nodes.ts";
import { splitBroken } from "./yaml-recovery.ts";
import { rewriteScalar } from "./yaml-rewriting.ts";
import { decodeScalar } from "./yaml-scalars.ts";
import { splitCassette, type YamlSlice } from "./yaml-split.ts";

/** A range that is not valid YAML; the rest was still read. */
export interface YamlFlaw {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

export interface YamlDocument {
  readonly root: YamlNode | undefined;
  /** The root is a list of interactions or a part of one. */
  readonly isList: boolean;
  readonly flaws: readonly YamlFlaw[];
  /** What aliases were left out while the root was walked; absent where it has no values. */
  unfollowed?(): UnfollowedAliases | undefined;
}

/**
 * The documents of a file, one at a time; a cassette comes as several documents with a few interactions each.
 * The bytes are read as latin1, so that the library's offsets are file offsets.
 */
export function* yamlDocuments(source: ByteSource): Generator<YamlDocument> {
  const bytes = source.read(0, source.size);
  yield* yamlDocumentsIn(bytes, textStart(bytes), bytes.length);
}

/** The same of a part of a file, such as a block of code; positions are those of the file. */
export function* yamlDocumentsIn(bytes: Buffer, mark: number, end: number): Generator<YamlDocument> {
  for (const slice of splitCassette(bytes.toString("latin1", mark, end))) {
    const documents = documentsOf(slice, mark);
    const flaws = documents.flatMap((document) => document.flaws);
    const parts = flaws.length > 0 ? splitBroken(slice) : undefined;
    const apart = parts?.flatMap((part) =>
      documentsOf(part, mark).map((document) => withFirstFlaw(document, part, mark, flaws)),
    );
    yield* apart?.some((document) => document.flaws.length > 0) ? apart : documents;
  }
}

/**
 * Within one interaction, what follows the first flaw is its consequence. A parser that sees what stands
 * behind the interaction sees the flaw earlier.
 */
function withFirstFlaw(
  document: YamlDocument,
  { start, text }: YamlSlice,
  mark: number,
  around: readonly YamlFlaw[],
): YamlDocument {
  const [own] = document.flaws;
  if (!own) return document;
  const [from, to] = [start + mark, start + mark + text.length];
  const first = around.find((flaw) => flaw.start >= from && flaw.start < Math.min(to, own.start)) ?? own;
  return { ...document, flaws: [first] };
}

function documentsOf({ start, text, isList }: YamlSlice, mark: number): YamlDocument[] {
  try {
    return [...composed(text, mark + start, isList)];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const extent = { start: mark + start, end: mark + start + text.length };
    return [{ root: undefined, isList, flaws: [{ ...extent, message }] }];
  }
}

const options = {
  uniqueKeys: false,
  strict: false,
  prettyErrors: false,
  // Base64 bodies are decoded where they are searched.
  resolveKnownTags: false,
} as const;

function* composed(text: string, shift: number, isList: boolean): Generator<YamlDocument> {
  const composer = new Composer(options);
  const indents = new Map<number, number>();
  let cut: UnfollowedAliases | undefined;
  const documentOf = (document: Document.Parsed): YamlDocument => {
    const { root, unfollowed } = nodesOf(document, shift, indents);
    return { root, unfollowed: () => unfollowed() ?? cut, isList, flaws: flawsOf(document) };
  };
  const flawsOf = (document: Document.Parsed): YamlFlaw[] =>
    document.errors.flatMap(({ pos: [start, end], message }) =>
      // What the cut leaves open is no flaw.
      cut && start + shift >= cut.start ? [] : { start: start + shift, end: end + shift, message },
    );
  const tokens = tokensOf(text, (start, end) => {
    cut = { start: start + shift, end: end + shift, count: mostAliases(text.length) + 1 };
  });
  for (const token of tokens) {
    if (isTooDeep(token)) {
      const start = token.offset + shift;
      yield {
        root: undefined,
        isList,
        flaws: [{ start, end: start, message: "Values are nested too deeply" }],
      };
    } else {
      for (const [start, indent] of blockIndents(token)) indents.set(start, indent);
      for (const document of composer.next(token)) yield documentOf(document);
    }
  }
  for (const document of composer.end()) yield documentOf(document);
}

/** What the lexer writes between the lexemes of a text. */
const lexerMarks = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** The parser's tokens up to the first alias that is one too many, whose place is passed to `crowded`. */
function* tokensOf(text: string, crowded: (start: number, end: number) => void): Generator<CST.Token> {
  const parser = new Parser();
  let left = mostAliases(text.length);
  let at = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (!isScalar && lexeme.startsWith("*") && left-- === 0) {
      crowded(at, at + lexeme.length);
      break;
    }
    const isMark: boolean = !isScalar && lexerMarks.has(lexeme);
    at += isMark ? 0 : lexeme.length;
    isScalar = isMark && lexeme === CST.SCALAR;
  }
  yield* parser.end();
}

/** Reads the scalars of one file. */
export interface ScalarReader {
  text(scalar: YamlScalar): string;
  /** The text with positions in the file. Only the most recent text is kept; others are decoded again. */
  view(scalar: YamlScalar): View;
}

export function scalarReader(source: ByteSource): ScalarReader {
  const base = wholeView(source);
  let newest: { readonly spot: Spot; readonly view: View } | undefined;

  const decoded = (spot: Spot): View => {
    if (newest?.spot !== spot) {
      const { bytes, segments } = decodeAt(source, spot);
      newest = { spot, view: segmentedView(base, bytes, segments) };
    }
    return newest.view;
  };
  const inverseFrom = (spot: Spot): Inverse => ({
    base,
    mapPatches: (patches) => mapThroughScalar(source, spot, decodeAt(source, spot), patches),
  });
  const viewAt = (spot: Spot, size: number): View => ({
    source,
    size,
    read: (start, end) => decoded(spot).read(start, end),
    origin(start, end) {
      // Text that chomping adds to a block maps to the block's end.
      const found = decoded(spot).origin(start, end);
      return { source, start: Math.min(found.start, spot.end), end: Math.min(found.end, spot.end) };
    },
    get inverse() {
      return inverseFrom(spot);
    },
  });

  return {
    text: (scalar) =>
      isAscii(scalar.written) ? scalar.written : decodeAt(source, scalar).bytes.toString("utf8"),
    view({ start, end, indent, written }) {
      const spot = { start, end, indent };
      const { bytes, segments, units } = decodeAt(source, spot);
      // If the decoders disagree, the library is right, and all positions are the whole scalar's.
      if (units !== undefined && units !== written.length) {
        const text = Buffer.from(written, "latin1");
        const whole = { bytes: text, segments: [], units: undefined };
        return packedView(source, text, spot, () => ({
          base,
          mapPatches: (patches) => mapThroughScalar(source, spot, whole, patches),
        }));
      }
      newest = { spot, view: segmentedView(base, bytes, segments) };
      return viewAt(spot, bytes.length);
    },
  };
}

type Spot = Pick<YamlScalar, "start" | "end" | "indent">;

/** Maps changes of a scalar's text to the file. */
function mapThroughScalar(
  source: ByteSource,
  spot: Spot,
  text: ScalarText,
  patches: readonly Patch[],
): MappedPatches {
  const { start, end, indent } = spot;
  const around = textAround(wholeView(source), start);
  return rewriteScalar(source.read(start, end), start, indent, text, patches, around);
}

function decodeAt(source: ByteSource, { start, end, indent }: Spot): ReturnType<typeof decodeScalar> {
  return decodeScalar(source.read(start, end), start, indent);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
