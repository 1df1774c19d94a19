import { parseJson } from "../reading/parse.ts";
import type { LogFile } from "./log-file.ts";

/** What files with these names hold, and whether a text is all that. */
const namedForms: readonly {
  readonly name: RegExp;
  readonly form: string;
  readonly isKept?: (text: string) => boolean;
}[] = [
  {
    name: /\.(?:jsonl|ndjson)$/i,
    form: "JSON lines",
    isKept: (text) => text.split("\n").every((line) => line.trim() === "" || isJson(line)),
  },
  { name: /\.har$/i, form: "a HAR" },
  { name: /\.json$/i, form: "JSON", isKept: isJson },
  { name: /\.ya?ml$/i, form: "YAML" },
];

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** Larger files are not read again to see whether they are what their name says. */
const maxNamed = 1 << 20;

/** A log that was read as a text, although its name says that it has another form. */
export function withNamedForm(file: LogFile): LogFile {
  const { source } = file;
  const named = namedForms.find(({ name }) => name.test(file.path));
  if (named === undefined || file.exchanges.length === 0) return file;
  // JSON in which only the reader of texts finds a payload.
  if (named.isKept && source.size <= maxNamed && named.isKept(source.read(0, source.size).toString("utf8")))
    return file;
  const origin = { source, start: 0, end: Math.min(source.size, 1) };
  const message = `by its name the file is ${named.form}, but not all of it is`;
  return { ...file, defects: [...file.defects, { kind: "lax", origin, message }] };
}
