import { Composer, Parser } from "yaml";
import type { ByteSource } from "../reading/source.ts";
import { packedView, piecedView, type View, wholeView } from "../reading/view.ts";
import { nodesOf, type YamlNode, type YamlScalar } from "./yaml-nodes.ts";
import { decodeScalar } from "./yaml-scalars.ts";

export interface YamlFlaw {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

export interface YamlDocument {
  readonly root: YamlNode | undefined;
  readonly flaws: readonly YamlFlaw[];
}

export interface YamlFile {
  /** The documents, composed one at a time. Throws where the library gives up (nesting beyond its stack). */
  documents(): Generator<YamlDocument>;
  text(scalar: YamlScalar): string;
  /** The text of a scalar, with positions in the file. It is decoded when asked for; only the newest is kept. */
  view(scalar: YamlScalar): View;
}

/** YAML in bytes. They are read as latin1, so that the library's offsets are offsets in the file. */
export function yamlFile(source: ByteSource): YamlFile {
  const bytes = source.read(0, source.size);
  const shift = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const base = wholeView(source);
  let newest: { readonly scalar: YamlScalar; readonly view: View } | undefined;

  const decoded = (scalar: YamlScalar): View => {
    if (newest?.scalar === scalar) return newest.view;
    const { bytes: text, pieces, units } = decodeScalar(source.read(scalar.start, scalar.end), scalar.start, scalar.indent);
    // Where this reading and the library's part, the library is right, and positions are those of the scalar.
    const isSame = units === undefined || units === scalar.written.length;
    const view = isSame ? piecedView(base, text, pieces) : packedView(source, Buffer.from(scalar.written, "latin1"), scalar);
    newest = { scalar, view };
    return view;
  };

  return {
    documents: function* () {
      const text = bytes.toString("latin1", shift);
      const composer = new Composer({ keepSourceTokens: true, uniqueKeys: false, strict: false, prettyErrors: false });
      for (const document of composer.compose(new Parser().parse(text))) {
        const flaws = document.errors.map(({ pos, message }) => ({ start: pos[0] + shift, end: pos[1] + shift, message }));
        yield { root: nodesOf(document, shift), flaws };
      }
    },
    text: (scalar) => {
      const { size } = decoded(scalar);
      return decoded(scalar).read(0, size).toString("utf8");
    },
    view: (scalar) => ({
      source,
      size: decoded(scalar).size,
      read: (start, end) => decoded(scalar).read(start, end),
      origin: (start, end) => decoded(scalar).origin(start, end),
      isExact: false,
    }),
  };
}
