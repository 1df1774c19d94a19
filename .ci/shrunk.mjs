#!/usr/bin/env node
/**
 * Shrinks the logs of the corpus in memory, and proves of each result, without the code that made it: the finding is there, no record, round
 * or message can go alone, and shrinking it again gives the same bytes. `shrunk.mjs FOLDER…` for other folders of the corpus.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundled } from "./bundled.mjs";

const corpus = join(import.meta.dirname, "..", "..", "shared", "corpus");
if (!existsSync(corpus)) process.exit(0);

const { shrink, checkFiles, fileSource, bytesSource } = await bundled("shrunk", [
  'export { shrink } from "./src/shrink/shrink.ts";',
  'export { checkFiles } from "./src/check/check.ts";',
  'export { bytesSource, fileSource } from "./src/reading/source.ts";',
]);

const names = ({ data }, what) => [data[what] ?? data[`${what}s`] ?? []].flat();
const isSame = (finding, other) =>
  ["rule", "kind", "severity"].every((member) => finding[member] === other[member]) &&
  (other.cause !== null || finding.cause === null) &&
  ["tool", "callId"].every((what) => names(finding, what).every((name) => names(other, what).includes(name)));
const errors = (findings) => findings.filter(({ severity, cause }) => severity === "error" && cause === null);

const findingsIn = async (path, text) =>
  (await checkFiles([{ path, source: bytesSource(path, Buffer.from(text)) }], {})).report.findings;

const historyNames = ["messages", "input", "contents"];
const isHistory = (name, value) =>
  historyNames.includes(name) &&
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each) => each && typeof each === "object" && (each.role ?? each.type) !== undefined);

/** Calls `visit` with each history of a value, also in JSON in strings; what it returns takes its place. */
function withHistories(value, visit, name = "") {
  if (typeof value === "string" && /^\s*\{/.test(value)) {
    try {
      const inner = JSON.parse(value);
      const other = withHistories(inner, visit);
      return JSON.stringify(inner) === JSON.stringify(other) ? value : JSON.stringify(other);
    } catch {
      return value;
    }
  }
  if (!value || typeof value !== "object") return value;
  if (isHistory(name, value)) return visit(value);
  if (Array.isArray(value)) return value.map((each) => withHistories(each, visit));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withHistories(each, visit, key)]),
  );
}

/** The ids of calls that stand anywhere in an element. */
const idsIn = (element) =>
  [...JSON.stringify(element).matchAll(/"(?:id|call_id|tool_call_id|tool_use_id|toolUseId)":"([^"]+)"/g)].map(
    ([, id]) => id,
  );
const isOfModel = ({ role, type }) =>
  /^(?:assistant|model)$/.test(role ?? "") || /^(?:function_call|reasoning|.*_call)$/.test(type ?? "");
const isPrompt = ({ role }) => /^(?:system|developer)$/.test(role ?? "");

/** Groups of elements that belong together, by their text: a reply and the results of its calls. */
function groupsOf(records) {
  const groups = [];
  const find = (text) => groups.find(({ texts }) => texts.has(text));
  const join = (one, other) => {
    if (one === other) return;
    for (const text of other.texts) one.texts.add(text);
    for (const id of other.ids) one.ids.add(id);
    one.isAnchor ||= other.isAnchor;
    groups.splice(groups.indexOf(other), 1);
  };
  withHistories(records, (history) => {
    let before;
    const first = history.find(
      ({ role, content, parts }) =>
        role === "user" && !/tool_result|functionResponse/.test(JSON.stringify(content ?? parts ?? "")),
    );
    for (const element of history) {
      const text = JSON.stringify(element);
      const ids = idsIn(element);
      let group = find(text);
      if (!group) {
        group = { texts: new Set([text]), ids: new Set(ids), isAnchor: false };
        groups.push(group);
      }
      group.isAnchor ||= element === first || isPrompt(element);
      for (const other of [...groups])
        if (other !== group && ids.some((id) => other.ids.has(id))) {
          join(other, group);
          group = other;
        }
      if (before && isOfModel(element) && isOfModel(before)) {
        const earlier = find(JSON.stringify(before));
        join(earlier, group);
      }
      before = element;
    }
    return history;
  });
  return groups;
}

const isFirstMessage = ({ type, role, message }) =>
  role === "user" || (type === "user" && message?.role === "user" && typeof message.content === "string");

/** What stands in a log of lines for itself: a request with its reply, a record of a session but the first. */
function unitsOf(records) {
  const hasHistory = records.map((record) => {
    let found = false;
    withHistories(record, (history) => {
      found = true;
      return history;
    });
    return found;
  });
  const isOfRequests = hasHistory.includes(true);
  const units = [];
  for (const [index, record] of records.entries()) {
    if (isOfRequests && !hasHistory[index] && units.length > 0) units.at(-1).add(record);
    else units.push(new Set([record]));
  }
  if (isOfRequests) return units.length > 1 ? units : [];
  const first = records.find(isFirstMessage);
  return records.length > 1 ? units.filter((unit) => !unit.has(first)) : [];
}

/** The small log without one record, or without one round or message in all histories. */
function* smaller(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  let records;
  try {
    records = lines.map((line) => JSON.parse(line));
  } catch {
    return;
  }
  const write = (some) => some.map((each) => `${JSON.stringify(each)}\n`).join("");
  for (const [index, unit] of unitsOf(records).entries())
    yield [`record ${index + 1}`, write(records.filter((each) => !unit.has(each)))];
  for (const { texts, isAnchor } of groupsOf(records)) {
    if (isAnchor) continue;
    const cut = withHistories(records, (history) =>
      history.filter((element) => !texts.has(JSON.stringify(element))),
    );
    yield [[...texts][0].slice(0, 80), write(cut)];
  }
}

const folders =
  process.argv.length > 2 ? process.argv.slice(2) : ["faulty", "failures", "failures2", "features"];
const misses = [];
let count = 0;
let cuts = 0;
for (const folder of folders) {
  for (const name of readdirSync(join(corpus, folder), { recursive: true })) {
    const path = join(corpus, folder, name);
    if (!statSync(path).isFile() || /expect.*\.jsonl$/.test(path)) continue;
    const { shrunk } = await shrink([{ path, source: fileSource(path) }], {}, {});
    if (!shrunk) continue;
    count++;
    const { subject } = shrunk.before;
    const small = shrunk.written.bytes.toString();
    const left = await findingsIn(path, small);
    if (!left.some((finding) => isSame(finding, subject))) {
      misses.push(`${folder}/${name}: ${subject.rule} is gone`);
      continue;
    }
    const kept = left.find((finding) => isSame(finding, subject));
    const again = await shrink(
      [{ path, source: bytesSource(path, shrunk.written.bytes) }],
      { finding: kept.id },
      {},
    );
    if (again.shrunk?.written.bytes.toString() !== small)
      misses.push(`${folder}/${name}: another log in the second run`);
    for (const [unit, text] of smaller(small)) {
      cuts++;
      const found = await findingsIn(path, text);
      const others = errors(found).filter((error) => !errors(left).some((each) => isSame(error, each)));
      if (others.length === 0 && found.some((finding) => isSame(finding, kept)))
        misses.push(`${folder}/${name}: ${subject.rule} without ${unit}`);
    }
  }
}
for (const miss of misses) console.error(miss);
console.log(`${count} logs shrunk, ${misses.length} objections; ${cuts} single cuts tried on the results`);
process.exitCode = misses.length > 0 ? 1 : 0;
