// What the redaction of logs leaves readable, taken from the source: the words that rules look for in texts, and the names that
// containers and protocols know: build.mjs makes modules of them. So a rule or a protocol that changes needs no list of its own.
import fs from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

const root = path.join(import.meta.dirname, "..");

/** Members whose texts are for people, and say nothing of logs. */
const spoken = new Set([
  "messages",
  "summary",
  "habit",
  "advice",
  "title",
  "change",
  "consequence",
  "message",
  "why",
  "note",
  "about",
  "or",
]);

/** The literals of the modules of these folders (or of single modules) below src/, except those that `isLeftOut`. */
function* literalsIn(places, isLeftOut = () => false) {
  for (const place of places) {
    const full = path.join(root, place);
    const files = full.endsWith(".ts")
      ? [full]
      : fs
          .readdirSync(full, { recursive: true })
          .map((file) => path.join(full, file))
          .filter((file) => /\.ts$/.test(file));
    for (const file of files.sort()) {
      if (isLeftOut(path.relative(root, file).split(path.sep).join("/"))) continue;
      const { program, errors } = parseSync(file, fs.readFileSync(file, "utf8"));
      if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
      for (const statement of program.body)
        if (statement.type !== "ImportDeclaration" && statement.source == null) yield* literalsOf(statement);
    }
  }
}

/** The texts, patterns and names of members in a piece of code. */
function* literalsOf(node) {
  if (node.type === "Property" || node.type === "TSPropertySignature" || node.type === "MemberExpression") {
    const key = node.type === "MemberExpression" ? node.property : node.key;
    const name = key?.type === "Identifier" && !node.computed ? key.name : undefined;
    if (node.type === "Property" && name !== undefined && spoken.has(name)) return;
    if (name !== undefined && node.type !== "MemberExpression") yield { is: "name", text: name };
  }
  if (node.type === "Literal" && node.regex) yield { is: "pattern", text: node.regex.pattern };
  else if (node.type === "Literal" && typeof node.value === "string") yield { is: "text", text: node.value };
  else if (node.type === "TemplateElement") yield { is: "text", text: node.value.cooked ?? node.value.raw };
  for (const child of Object.values(node))
    for (const each of Array.isArray(child) ? child : [child])
      if (each && typeof each === "object" && typeof each.type === "string") yield* literalsOf(each);
}

/** A pattern without the letters of its escapes: `\bbase64` names `base64`, and `\u2028` nothing. */
function withoutEscapes(text) {
  return text.replace(/\\(?:[pPu]\{\w+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[a-zA-Z]|\d)/g, " ");
}

/** The words of two letters or more, in lower case, without the letters of escapes in patterns. */
function wordsOf({ is, text }) {
  const plain = is === "pattern" || text.includes("\\") ? withoutEscapes(text) : text;
  return [...plain.replace(/([a-z])([A-Z])/g, "$1 $2").matchAll(/[\p{L}\p{M}]{2,}/gu)].map(([word]) =>
    word.toLowerCase(),
  );
}

/** What rules know of the words of errors. */
const errors = ["rules/error-texts.ts", "rules/validation-errors.ts"];

/** Tables whose words are read in errors only. */
const isOfErrors = (file) => errors.includes(file) || /^protocols\/.*\berror-texts?\.ts$/.test(file);

/** Its names are those of the meanings, and no log's. */
const isOfMeanings = (file) => file === "protocols/error-text.ts";

/** What is read in prompts that teach a form of calls: words of prose, and no marks. */
const prompts = ["protocols/text-calls/teaching.ts"];
const isPrompt = (file) => prompts.includes(file);

const sorted = (words) => [...new Set(words)].sort();

/** What `vocabulary:NAME` exports. */
const lists = {
  /** Words that rules look for in what people, models and tools write. */
  texts: () =>
    sorted(
      [...literalsIn(["rules", "conversation", "fix", ...prompts], isOfErrors)].flatMap((each) =>
        each.is === "name" ? [] : wordsOf(each),
      ),
    ),
  /** Words of the marks around calls that models write as text, and what ids begin with: `call_`, `chatcmpl-`. */
  marks: () =>
    sorted([
      ...[...literalsIn(["protocols/text-calls"], isPrompt)].flatMap((each) =>
        each.is === "name" ? [] : wordsOf(each),
      ),
      ...[...literalsIn(["protocols", "rules"], isOfErrors)].flatMap(({ is, text }) =>
        is === "name"
          ? []
          : [...text.matchAll(/(?<![A-Za-z])([a-z]{2,12})[_-](?=$|\d|\||\)|\[|\\|\()/g)].map(
              ([, prefix]) => prefix,
            ),
      ),
    ]),
  /** Words of the texts with which providers refuse requests. */
  refusals: () =>
    sorted(
      [...literalsIn([...errors, "protocols"])].flatMap((each) => (each.is === "name" ? [] : wordsOf(each))),
    ),
  /** Names that containers and protocols know: keys, types, statuses, events. */
  names: () =>
    sorted([
      ...namesOfRequests(),
      ...[...literalsIn(["containers", "protocols", "traffic", "conversation", "log", "rules"], isOfMeanings)]
        .flatMap(({ is, text }) =>
          is === "pattern"
            ? [
                ...withoutEscapes(text.replace(/\\\\/g, " "))
                  .replace(/\\\./g, ".")
                  .matchAll(/[A-Za-z_][\w.-]{1,50}/g),
              ].map(([name]) => name)
            : is === "name"
              ? [text]
              : [text, ...text.split(/[^\w.$-]+/)],
        )
        .filter((name) => /^[A-Za-z_$][\w.$-]{1,60}$/.test(name)),
    ]),
};

/** Members and values that the schemas of requests know. */
function* namesOfRequests() {
  const folder = path.join(root, "../schemas/requests");
  for (const file of fs.readdirSync(folder).sort())
    for (const [, name] of fs
      .readFileSync(path.join(folder, file), "utf8")
      .matchAll(/"([A-Za-z_$][\w.$-]{1,60})"/g))
      yield name;
}

/** The source of the module `vocabulary:NAME`. */
export function vocabularySource(name) {
  const list = lists[name];
  if (!list) throw new Error(`there is no vocabulary of ${name}`);
  return `export default ${JSON.stringify(list().join(" "))};\n`;
}
