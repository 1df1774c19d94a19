/**
 * Values that differ between two recordings of the same run: dates, times, and ids that servers and clients
 * generate. They are recognised by their form, never by the name of their member.
 */

/** The kind of a volatile value. */
export type Volatile = "date" | "time" | "id";

/** Who wrote a text. Dates that a person or a model wrote are content. */
export type TextAuthor = "machine" | "person" | "model";

const zone = String.raw`(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))`;
const dateAndTime = new RegExp(
  String.raw`\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?${zone}?`,
  "g",
);
const longDate =
  /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d{1,2}),? 20\d\d(?: (?:at )?\d\d:\d\d(?::\d\d)?(?: ?(?:GMT|UTC|Z|[+-]\d{4}))?)?/g;
const date = /\b20\d\d[-/](?:0[1-9]|1[0-2])[-/](?:0[1-9]|[12]\d|3[01])\b/g;
const clock = new RegExp(
  String.raw`\b[0-2]?\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?: ?[AaPp][Mm]\b)?${zone}?`,
  "g",
);
/** Seconds or milliseconds since 1970, from 2020 to 2036. */
const epoch = /(?<![\w.])(?:1[6-9]|20)\d{8}(?:\d{3})?(?:\.\d{1,9})?(?![\w.])/g;
const uuid = /(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f-])/gi;
/** `call_Nbk…`, `toolu_01…`, `chatcmpl-…`: a known prefix and generated letters and digits. */
const prefixed =
  /\b(?:call|toolu|tooluse|srvtoolu|msg|resp|req|fc|fco|ctc|rs|run|thread|item|conv|session|sess)_(?:\d{1,3}_)?(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}|\b(?:chatcmpl|resp|msg|gen)-(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}/g;

/** Replaces the volatile values of a text by their kinds. `found` receives each value. */
export function normalizeVolatile(
  text: string,
  writer: TextAuthor,
  found?: (kind: Volatile, value: string) => void,
): string {
  if (!/\d/.test(text)) return text;
  const put = (kind: Volatile) => (value: string) => {
    found?.(kind, value);
    return `⟨${kind}⟩`;
  };
  const ids = text.replace(uuid, put("id")).replace(prefixed, put("id"));
  if (writer === "model") return ids;
  const moments = ids.replace(dateAndTime, put("time")).replace(epoch, put("time"));
  if (writer === "person")
    return moments.replace(announcedDate, (line) =>
      line.replace(longDate, put("date")).replace(date, put("date")).replace(clock, put("time")),
    );
  return moments.replace(longDate, put("date")).replace(date, put("date")).replace(clock, put("time"));
}

/** A client's note about the current date inside a user message. */
const announcedDate = /^.{0,80}\b(?:date|time|today|now)\b.{0,120}$/gim;
