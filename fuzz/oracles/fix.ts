import type { CheckReport, FixReport } from "../../src/index.ts";
import { isObject, jsonValue } from "../document.ts";
import type { Failure, Oracle, Trial } from "./oracle.ts";
import { schemaErrors } from "./schemas.ts";
import { formsOf, type Telling, tellingOf } from "./tellings.ts";

/** A repair keeps what the log holds, makes nothing worse, and has nothing left to do when it is done. */
export const fixOracle: Oracle = async function* (trial) {
  const { dice, mutant, isStrict } = trial;
  const isLikely = mutant.applied.every(({ name }) => /^(?:protocol|rounds|structure)/.test(name));
  if (!isStrict && !dice.once(isLikely ? 2 : 6)) return;
  const isUnsafe = dice.once(3);
  yield* repairing(trial, isUnsafe);
  if (isStrict) yield* repairing(trial, !isUnsafe);
};

async function* repairing(
  { toollint, checked, bytes, path, isStrict }: Trial,
  isUnsafe: boolean,
): AsyncGenerator<Failure> {
  const name = isUnsafe ? "fix --unsafe" : "fix";
  const { fix, check, read } = toollint.library;
  const options = { name: path, ...(isUnsafe && { classes: ["safe", "lossy", "inventing"] as const }) };
  const log = new Uint8Array(bytes);
  const once = await fix(log, options);
  for (const error of schemaErrors("fix", JSON.parse(JSON.stringify(once.report))))
    yield { kind: `${name}: its report breaks the schema`, detail: error };
  if (once.report.summary.applied === 0 && !Buffer.from(once.bytes).equals(bytes))
    yield { kind: `${name}: changes a log without an edit`, detail: "" };
  if (Buffer.from(once.bytes).equals(bytes)) return;
  const twice = await fix(once.bytes, options);
  if (!Buffer.from(twice.bytes).equals(once.bytes)) {
    const edits = twice.report.edits
      .filter(({ applied }) => applied)
      .map(({ rule, title }) => `${rule}: ${title}`);
    yield {
      kind: `${name}: changes what it repaired: ${[...new Set(edits)][0] ?? ""}`,
      detail: edits.join("\n"),
    };
  }
  const before: CheckReport = JSON.parse((await checked()).stdout);
  const after = await check(once.bytes, { name: path });
  yield* worse(name, before, after);
  if (!isStrict) return;
  const [was, is] = [
    tellingOf(await read(log, { name: path })),
    tellingOf(await read(once.bytes, { name: path })),
  ];
  const isBroken = before.findings.some(({ rule }) => rule === "unreadable-record");
  yield* kept({ name, was, is, isUnsafe, isBroken, edits: once.report.edits, log: bytes.toString("utf8") });
}

function* worse(name: string, before: CheckReport, after: CheckReport): Generator<Failure> {
  const kinds = ({ findings }: CheckReport): Set<string> =>
    new Set(
      findings.flatMap(({ severity, rule, kind }) => (severity === "error" ? [`${rule}/${kind}`] : [])),
    );
  const known = kinds(before);
  for (const kind of kinds(after))
    if (!known.has(kind)) yield { kind: `${name}: leads to ${kind}`, detail: [...known].join(", ") };
}

/** The exchanges in which an edit puts a text in place of another one, and says so. */
function replacingIn(applied: FixReport["edits"]): ReadonlySet<number> {
  const replacing = applied.filter(({ rule }) => /^(?:rewritten-history|lost-fragments)$/.test(rule));
  return new Set(replacing.flatMap(({ location }) => location.exchange ?? []));
}

/** Whether an edit leaves out a message or a copy of one, and says so. */
const isRemoving = ({ rule, safety }: FixReport["edits"][number]): boolean =>
  safety === "lossy" || /^duplicate-/.test(rule);

/** What a repair writes that the log does not hold, as often as it is needed. */
const invented = /Added by toollint fix\.\]$/;

/** The text of a JSON object with its members in order; any other text as it is. */
function inOrder(text: string): string {
  const value = jsonValue(text);
  if (!isObject(value)) return text;
  try {
    return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch (error) {
    // What is nested too deeply can be parsed, but not written.
    if (error instanceof RangeError) return text;
    throw error;
  }
}

/** What a JSON string holds; `undefined` for any other text. */
function decodedOnce(text: string): string | undefined {
  const value = jsonValue(text);
  return typeof value === "string" ? value : undefined;
}

/** How often a log holds a value that is a text now: an object that a repair writes as JSON. At least once. */
const timesIn = (log: string, text: string): number =>
  Math.max(1, ...[...formsOf(text)].map((form) => log.split(form).length - 1));

/** The text of a result `{"text": …}`, which a repair writes in place of such an object; else `undefined`. */
function onlyText(text: string): string | undefined {
  const value = jsonValue(text);
  return isObject(value) && Object.keys(value).length === 1 && typeof value["text"] === "string"
    ? value["text"]
    : undefined;
}

/** The lines of a JSON list of strings, which a repair writes where a result was such a list; else `undefined`. */
function linesOf(text: string): string | undefined {
  const value = jsonValue(text);
  return Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value.join("\n")
    : undefined;
}

interface Repair {
  readonly name: string;
  readonly was: Telling;
  readonly is: Telling;
  readonly isUnsafe: boolean;
  /** Something of the log cannot be read. */
  readonly isBroken: boolean;
  readonly edits: FixReport["edits"];
  readonly log: string;
}

function* kept({ name, was, is, isUnsafe, isBroken, edits, log }: Repair): Generator<Failure> {
  const applied = edits.filter((edit) => edit.applied);
  const replaced = replacingIn(applied);
  // In a session, a result goes to where its call is: into what a later request would have sent.
  const isMoved = applied.some(({ rule }) => rule === "misplaced-tool-result");
  // What a transcript sent is told by its messages: one that the report says was removed may have been a reply,
  // a result that stood alone, or between two replies, asked the model once more until it was moved to its call,
  // and records behind one that cannot be read follow the one before it, so that the session loads whole.
  const isTranscript = was.kind === "transcript";
  const mayShrink = isTranscript && (isMoved || applied.some(isRemoving));
  const mayGrow = isTranscript && isBroken;
  if (was.container !== is.container)
    yield { kind: `${name}: changes the container`, detail: `${was.container} → ${is.container}` };
  for (const key of ["requests", "replies"] as const)
    if (is[key] < was[key] ? !mayShrink : is[key] > was[key] && !mayGrow)
      yield { kind: `${name}: changes the number of ${key}`, detail: `${was[key]} → ${is[key]}` };
  if (was.texts.length !== is.texts.length) return;
  // Each exchange may give a text of its reply to a later history, as often as it stands there.
  const most = new Map<string, number>();
  for (const texts of was.texts)
    for (const [text, count] of texts) {
      const key = inOrder(text);
      most.set(key, Math.max(count, most.get(key) ?? 0) + 1);
    }
  for (const [text, count] of was.replied)
    most.set(inOrder(text), (most.get(inOrder(text)) ?? 0) + count - 1);
  for (const [index, texts] of is.texts.entries()) {
    for (const [text, count] of texts)
      if (count > (most.get(inOrder(text)) ?? timesIn(log, text)) && !invented.test(text))
        yield { kind: `${name}: writes a text again and again`, detail: `${count} × ${text.slice(0, 80)}` };
    if (isUnsafe || replaced.has(index + 1)) continue;
    const values = new Set([...texts.keys()].flatMap((text) => [text, linesOf(text) ?? text].map(inOrder)));
    // What stood before the result goes behind it, and so out of the branches of a session that go on from it.
    const later = isMoved ? (isTranscript ? is.texts : is.texts.slice(index + 1)) : [];
    // `misencoded-arguments` takes the quotes off arguments, and says so. Of a call that stands twice, one goes.
    const isThere = (text: string): boolean =>
      texts.has(text) ||
      texts.has(decodedOnce(text) ?? text) ||
      texts.has(onlyText(text) ?? text) ||
      values.has(inOrder(text)) ||
      later.some((each) => each.has(text));
    for (const text of was.texts[index]?.keys() ?? [])
      if (!isThere(text))
        yield { kind: `${name}: takes a text out of a request`, detail: text.slice(0, 200) };
  }
}
