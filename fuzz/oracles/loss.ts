import type { CheckReport, Location } from "../../src/index.ts";
import { withoutCodes } from "../../src/reading/terminal-codes.ts";
import { bodiesOf } from "../document.ts";
import type { Oracle } from "./oracle.ts";
import { allTexts, formsOf, type Telling, tellingOf } from "./tellings.ts";

/** A list of parts that was put into a string: another place of the log has the same list. */
const listOfParts = /^\[\{"type":/;

const layout =
  /lines change places|first column|indent|a line is cut|run together|within another|colon of a line|hard space|space without width|record of one line|^lines\//;

const tellings = new WeakMap<Buffer, Promise<Telling | undefined>>();

/**
 * What the log says before it is damaged, and what is still there and not read afterwards, is told: by a finding
 * about reading, by a skipped record, or by exit code 2. Where no syntax broke, a record may mean something else
 * now, so nothing is asked.
 */
export const lossOracle: Oracle = async function* ({ mutant, bytes, path, toollint, isStrict }) {
  const { seed, damage, undamaged } = mutant;
  if (!isStrict || damage.length === 0) return;
  // Lines of YAML that were moved say something else, in legal YAML; so do keys without their first letter, and
  // a key with a blank behind it that YAML does not know.
  if (/\.ya?ml$/.test(path) && damage.some(({ name }) => layout.test(name))) return;
  const breaksOnly = damage.every((operator) => operator.breaksOnly);
  const { read, check } = toollint.library;
  const log = bytes.toString("utf8");
  if (!breaksOnly && bodiesOf(log) >= bodiesOf(undamaged.toString("utf8"))) return;
  let known = tellings.get(undamaged);
  if (!known) {
    // What was not understood to begin with cannot be lost.
    known = read(new Uint8Array(undamaged), { name: path }).then(tellingOf, () => undefined);
    tellings.set(undamaged, known);
  }
  const whole = await known;
  if (!whole) return;
  const damaged = tellingOf(await read(new Uint8Array(bytes), { name: path }));
  // Where the damage makes a text log of it, what a terminal would obey is taken off.
  const there = [...allTexts(damaged)].map(withoutCodes);
  // A text within another one was read: a result that is kept with its headers now, arguments in quotes.
  const lost = [...allTexts(whole)].filter(
    (text) =>
      !listOfParts.test(text) && holds(log, text) && !there.some((other) => holds(other, withoutCodes(text))),
  );
  // A transcript has no requests of its own: how many are made of it depends on the order of its items.
  const isFewer =
    breaksOnly &&
    damaged.kind === whole.kind &&
    (whole.kind === "transcript"
      ? damaged.items < whole.items
      : damaged.requests < whole.requests || damaged.replies < whole.replies);
  if (lost.length === 0 && !isFewer) return;
  const report = await check(new Uint8Array(bytes), { name: path });
  // Blocks that change places may make legal JSON again, in which a text has another name, and the log says so.
  const isLegal = bodiesOf(log) >= bodiesOf(undamaged.toString("utf8"));
  if (tells(report, log, lost) || (isLegal && !isFewer && namesBeside(report, log, lost))) return;
  const what = `${whole.requests} → ${damaged.requests} requests, ${whole.replies} → ${damaged.replies} replies`;
  yield {
    kind: `loss: nothing is said of what is not read any more: ${seed.name.split("/")[0]} ${whole.container} → ${damaged.container}`,
    detail: `${what}; ${lost
      .slice(0, 3)
      .map((text) => JSON.stringify(text.slice(0, 80)))
      .join(", ")}`,
  };
};

/** Whether a report names a member on the line of each text: its record has other names now. */
function namesBeside({ findings }: CheckReport, log: string, lost: readonly string[]): boolean {
  const lines = log.split("\n");
  const named = findings.flatMap(({ rule, kind, location }) =>
    rule === "unknown-feature" && kind === "member" ? (lines[location.line - 1] ?? "") : [],
  );
  return lost.every((text) => named.some((line) => holds(line, text)));
}

/** Whether a text stands in the log: as it is, or escaped. */
function holds(log: string, text: string): boolean {
  for (const form of formsOf(text)) if (log.includes(form)) return true;
  return log.includes(text.replaceAll("'", "''"));
}

/** Whether a report says that something was not read; `lost` are the texts in question. */
function tells({ files, findings }: CheckReport, log: string, lost: readonly string[]): boolean {
  if (files.length === 0) return true;
  if (files.some(({ skipped }) => skipped.some(({ probe }) => !probe))) return true;
  const lines = log.split("\n");
  return findings.some(
    ({ rule, kind, location }) =>
      /^(?:unreadable-record|invalid-request|truncated-|malformed-|incomplete-|misencoded-|empty-reply|stream-error)/.test(
        rule,
      ) ||
      // Of a message whose role is no word, only that is known. Another name hides what it names.
      (rule === "unknown-feature" &&
        (kind === "role" || lost.some((text) => holds(namedIn(lines, kind, location), text)))),
  );
}

/** What a finding names; of an unknown type it shows the word alone, which hides what stands beside it. */
function namedIn(lines: readonly string[], kind: string, location: Location): string {
  return kind === "type" ? (lines[location.line - 1] ?? "") : textAt(lines, location);
}

function textAt(lines: readonly string[], { line, column, endLine, endColumn }: Location): string {
  const [first = "", ...more] = lines.slice(line - 1, endLine);
  const last = more.pop();
  return last === undefined
    ? first.slice(column - 1, endColumn - 1)
    : [first.slice(column - 1), ...more, last.slice(0, endColumn - 1)].join("\n");
}
