import { wordsOf } from "./tool-names.ts";

/**
 * What changes in a tool's output although the tool says the same: when and where it ran, which process,
 * request or attempt it was. `repeated-call.md` gives the grounds and what does not count as such.
 */

/** Stands for a volatile value in a text. Private characters, so that no output holds them. */
const marks = { moment: "\uE000", duration: "\uE001", id: "\uE002", count: "\uE003", place: "\uE004" };

/** Matches each mark that {@link withoutVolatileParts} puts into a text. */
export const volatileMark: RegExp = /[\uE000-\uE004]/g;

const months =
  "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mär|Mai|Okt|Dez|janv|févr|mars|avr|juin|juil|août|sept|déc|ene|abr|ago|dic)[a-zé]{0,8}\\.?";
const clock = "\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:\\s?[AaPp]\\.?[Mm]\\b\\.?)?";
const zone = "(?:\\s?(?:Z\\b|UTC|GMT|CES?T|[ECMP][SD]T|[+-]\\d\\d:?\\d\\d\\b))?";
const weekday = "(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},?\\s)?";

/** A date with a time of day. A bare date changes once a day, so a difference in it is news. */
const moments: readonly RegExp[] = [
  new RegExp(`\\b\\d{4}[-/.]\\d\\d[-/.]\\d\\d[T ,]{1,2}${clock}${zone}`, "g"),
  /\b\d{4}年\d{1,2}月\d{1,2}日\s?\d{1,2}[:时時]\d\d(?:[:分]\d\d秒?)?/g,
  new RegExp(`${weekday}\\b\\d{1,2}[ .]{1,2}${months} \\d{4}[ ,]{1,3}${clock}${zone}`, "gi"),
  new RegExp(
    `${weekday}\\b${months}\\s{1,2}\\d{1,2}(?:,? \\d{4})?[ ,]{1,2}${clock}${zone}(?: \\d{4})?`,
    "gi",
  ),
  new RegExp(`\\b\\d{1,2}/(?:\\d{1,2}|${months})/\\d{4}[:, ]{1,2}(?:\\d\\d:)?${clock}${zone}`, "gi"),
  new RegExp(`\\b\\d{1,2}\\.\\d{1,2}\\.\\d{4},?\\s(?:um )?${clock}`, "g"),
  /\b20\d\d-?[01]\d-?[0-3]\d[T_-][0-2]\d[-_:]?[0-5]\d[-_:]?[0-5]\d(?:[.,]?\d{3,9})?Z?(?![\w])/g,
  /(?<![\d:])\d{1,2}:[0-5]\d:[0-5]\d(?:[.,]\d{1,9})?(?:\s?[AaPp][Mm]\b)?(?![\d:])/g,
  /(?<![\d:])\d{1,2}:[0-5]\d\s?[AaPp][Mm]\b/g,
  // Seconds, milliseconds, microseconds or nanoseconds since 1970, from 2017 on.
  /(?<![\w.])1[5-9]\d{8}(?:\d{3}){0,3}(?:\.\d{1,9})?(?![\w])/g,
];

const units =
  "ms|[µμ]s|us|ns|s|secs?|seconds?|milliseconds?|msecs?|mins?|minutes?|hours?|hrs?|Sek(?:unden?)?|Minuten?|Stunden?|Millisekunden?|secondes?|heures?|segundos?|minutos?|horas?|secondi|minuti|сек(?:унд[аы]?)?|мс|мин(?:ут[аы]?)?";
const duration = new RegExp(
  `(?<![\\w.])(?:\\d{1,4}h\\s?)?(?:\\d{1,4}m\\s?)?\\d{1,12}(?:[.,]\\d{1,9})?(?:\\s?(?:${units})(?![\\p{L}\\p{N}])|\\s?(?:毫秒|秒|分钟|小时|ミリ秒|分|時間))(?:\\s?\\d{1,3}m?s\\b)?`,
  "giu",
);

/** Ids that a program makes up, recognised by their form. */
const ids: readonly RegExp[] = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b(?=[0-9a-z_-]{0,40}\d)[a-z]{2,12}[_-](?=[0-9a-z]{0,40}\d)[0-9a-z]{10,40}\b/gi,
  // From seven hexadecimal digits on, both letters and figures, as git shortens its hashes.
  /(?<![\w-])(?=[0-9a-f]{0,63}\d)(?=[0-9]{0,63}[a-f])[0-9a-f]{7,64}(?![\w-])/gi,
  /(?<![\w-])(?=\w{0,40}\d)(?=\w{0,40}[a-z])(?=\w{0,40}[A-Z])[0-9A-Za-z]{16,64}(?![\w-])/g,
  /@[0-9a-f]{6,16}\b/g, // Java's default toString
];

/** Where a program ran: addresses in memory, ports beside an address, temporary folders, processes. */
const places: readonly RegExp[] = [
  /\b0x[0-9a-f]{4,16}\b/gi,
  /(?<=\b(?:localhost|\[::1?\]|0\.0\.0\.0|127\.0\.0\.1):)\d{4,5}\b/g,
  /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}:\d{4,5}\b/g,
  /(?<=(?:^|[^\w/])(?:\/private)?\/(?:var\/)?(?:tmp\/|folders\/[^/\s]{1,16}\/[^/\s]{1,64}\/T\/))[^\s"'`,;:)\]}/]{1,120}(?:\/(?=[^\s"'`,;:)\]}/\d]*\d)[^\s"'`,;:)\]}/]*(?=\/)){0,3}/g,
  /(?<=\\(?:Temp|tmp)\\{1,2})[^\s"'`,;:)\]}\\]{1,120}/gi,
  /(?<=\b[\w.-]{2,40}\[)\d{2,8}(?=\]:?)/g, // sshd[4711]:
  /(?<=^\[\d{1,3}\] )\d{2,8}$/gm, // a shell's job in the background
  /(?<=\(node:)\d{2,8}(?=\))/g,
];

/** A plain number, decided by the words before it. */
const numbers = /(?<![\w.,])\d{1,15}(?:\.\d{1,9})?(?![\w]|[.,]\d)/g;
/** What may follow a label that names an id, a hash or a token. */
const tokens =
  /(?<=[\p{L}_-]["'`]?\s{0,3}[:=#]\s{0,3}["'`]?)(?:W\/")?(?=[\w.+/=-]{0,120}\d|[a-f]{6,}\b)[\w.+/=-]{3,120}/giu;

function wordList(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Labels of lasting time and of moments. */
const timeLabels = wordList(`
  duration dur elapsed took latency time timestamp ts wall runtime uptime age
  dauer zeit durée duree temps duración duracion tiempo durata tempo duração duracao время
`);
/** Labels that count how often something was asked. */
const tryLabels = wordList(`
  attempt attempts try tries retry retries
  versuch tentative essai intento tentativo tentativa попытка
`);
const countLabels = wordList("seq sequence counter iteration request invocation");
/** Labels of what the operating system or a runtime numbers. */
const processLabels = wordList(`
  pid ppid pgid tid fd inode port process thread goroutine worker nonce seed prozess proceso processus
  processo процесс
`);
/** Labels of values that are made up for one run. */
const tokenLabels = wordList(`
  pid ppid pgid tid uuid guid hash sha sha1 sha256 md5 digest checksum etag fingerprint nonce seed csrf cookie
  session signature sig ray trace span traceparent port
`);
/** What an id may belong to without being the matter itself: `request_id`, but not `order_id`. */
const runs = wordList(`
  request req process proc group trace span session sess correlation chunk thread worker connection conn
  execution exec invocation run call log transaction tx instance container operation query client build lock
  lease activity
`);
/** Words between a label and its number. */
const fillers = wordList("number no nr num is was the ms millis milliseconds ns us seconds in");
/** Labels of what moves when there is progress: nothing beside them is volatile. */
const progressLabels = wordList(`
  cursor offset page pages next continuation progress percent percentage eta remaining left position pos step
`);
const limitLabels = wordList("rate ratelimit limit retry retries attempt");

/** Words that make a `count` the count of tries: `[repeated failure; count=3]`. */
const ofTries = /(?:repeat|retr(?:y|ies)|attempt)[^\n]{0,40}$/i;

const eastAsianTime = /(?:耗时|用时|时间|時間|処理時間|所要時間)\W{0,4}$/;
const eastAsianTry = /(?:第|尝试|試行|リトライ|重试)\W{0,4}$/;
const eastAsianProcess = /(?:进程|プロセス|线程|スレッド|端口|ポート)\W{0,4}(?:id|ID|号)?\W{0,4}$/;

/** A number that is one of several: how far something has come. */
const oneOfMany = /^\s{0,2}(?:\/|of\b|von\b|de\b|sur\b|из\b)\s{0,2}\d/;
const isStillToCome = /^\s{0,2}(?:left\b|remaining\b|to go\b|verbleibend|restant|残り)/i;

/** The words directly before a value, in its own phrase; at most four. */
function labelBefore(text: string, offset: number): readonly string[] {
  let end = offset;
  while (end > 0 && offset - end < 8 && ` "'\`:=#-_[(`.includes(text.charAt(end - 1))) end--;
  if (end === 0 || !/[\p{L}.]/u.test(text.charAt(end - 1))) return [];
  const before = text.slice(Math.max(0, end - 48), end);
  const phrase = before.split(/[\n\r,;{}|\t()<>[\]&?/]|[.!] /).at(-1) ?? "";
  // The end of a file's name is not a label: `parse.test.ts:14`.
  if (/\.\w+$/.test(phrase)) return [];
  return wordsOf(phrase)
    .filter((word) => word !== "")
    .slice(-4);
}

function isProgress(label: readonly string[]): boolean {
  return label.some((word) => progressLabels.has(word)) && !label.some((word) => limitLabels.has(word));
}

/** The kind of a plain number, by its label; `undefined` if the number is what the result says. */
function kindOfNumber(text: string, offset: number, end: number, keepsIds: boolean): string | undefined {
  const before = text.slice(Math.max(0, offset - 12), offset);
  if (eastAsianTime.test(before)) return marks.duration;
  if (eastAsianTry.test(before)) return marks.count;
  if (eastAsianProcess.test(before)) return marks.id;
  const label = [...labelBefore(text, offset)];
  if (label.length === 0 || isProgress(label)) return undefined;
  while (label.length > 1 && fillers.has(label.at(-1) ?? "")) label.pop();
  const last = label.at(-1) ?? "";
  // One hexadecimal id in fifty has no letter; what it names tells it from a count.
  if (!keepsIds && end - offset >= 8 && runs.has(last) && !oneOfMany.test(textAfter(text, end)))
    return marks.id;
  if (tryLabels.has(last)) return marks.count;
  if (last === "count" && ofTries.test(text.slice(Math.max(0, offset - 60), offset))) return marks.count;
  if (countLabels.has(last)) return oneOfMany.test(textAfter(text, end)) ? undefined : marks.count;
  if (timeLabels.has(last)) return marks.duration;
  if (processLabels.has(last) || isRunId(label)) return marks.id;
  return undefined;
}

/** The label names the id of a run or a process. */
function isRunId(label: readonly string[]): boolean {
  const last = label.at(-1) ?? "";
  return /^ids?$/.test(last) && label.slice(0, -1).some((word) => runs.has(word));
}

/** Whether a value of a volatile form, at an offset of a text, is volatile in this place. */
type Decision = (text: string, offset: number, value: string) => boolean;

/**
 * A text with a mark for each volatile part. With `keepsIds`, ids are what the text lists, so only those of
 * runs and processes are volatile.
 */
export function withoutVolatileParts(text: string, keepsIds: boolean): string {
  if (!/\d|[a-f]{6}/i.test(text)) return text;
  let rest = text;
  const replace = (pattern: RegExp, mark: string, isVolatile: Decision = isNoProgress): void => {
    rest = rest.replace(pattern, (...args: unknown[]) => {
      const value = String(args[0]);
      const offset = Number(args.find((arg, index) => index > 0 && typeof arg === "number"));
      return isVolatile(rest, offset, value) ? mark : value;
    });
  };
  for (const pattern of moments) replace(pattern, marks.moment);
  for (const pattern of places) replace(pattern, marks.place);
  replace(
    duration,
    marks.duration,
    (whole, offset, value) =>
      isNoProgress(whole, offset) && !isStillToCome.test(textAfter(whole, offset + value.length)),
  );
  const isVolatileId: Decision = keepsIds
    ? (whole, offset) => isRunId(labelBefore(whole, offset))
    : isNoProgress;
  for (const pattern of ids) replace(pattern, marks.id, isVolatileId);
  replace(tokens, marks.id, (whole, offset) => {
    const label = labelBefore(whole, offset);
    return !isProgress(label) && (tokenLabels.has(label.at(-1) ?? "") || isRunId(label));
  });
  return rest.replace(numbers, (value, offset: number) => {
    return kindOfNumber(rest, offset, offset + value.length, keepsIds) ?? value;
  });
}

/** A text with a mark for each place where a program ran: temporary folders, ports, processes. */
export function withoutPlaces(text: string): string {
  return places.reduce((rest, pattern) => rest.replace(pattern, marks.place), text);
}

function textAfter(text: string, end: number): string {
  return text.slice(end, end + 16);
}

function isNoProgress(text: string, offset: number): boolean {
  return !isProgress(labelBefore(text, offset));
}
