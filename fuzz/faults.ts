import { invalidValues } from "./invalid-values.ts";

/**
 * Structural faults of logs: what truncation, bad disks, hand edits and wrong writers do to bodies and to the
 * files around them. Texts are bytes as latin1, so that a fault may put in any byte. A fault returns
 * `undefined` where it cannot be applied, or where it leaves a legal text: nobody could notice that.
 */

/** A whole number from 0 to below `sides`. */
export type Roll = (sides: number) => number;

export interface Fault {
  readonly name: string;
  /** The damaged text. */
  apply(text: string, roll: Roll): string | undefined;
}

interface Tokens {
  readonly marks: readonly { readonly at: number; readonly mark: string }[];
  readonly quotes: readonly { readonly open: number; readonly close: number }[];
  /** The quote with the backslashes that it has in this text. */
  readonly quote: string;
}

/**
 * The tokens of a JSON text that stand outside strings, and the quotes. In a text that is itself the content of
 * a JSON string, quotes have backslashes.
 */
function tokensOf(text: string): Tokens {
  const slashes = /^[^"]*?(\\*)"/.exec(text)?.[1]?.length ?? 0;
  const quote = `${"\\".repeat(slashes)}"`;
  const marks: Tokens["marks"][number][] = [];
  const quotes: Tokens["quotes"][number][] = [];
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith(quote, at)) {
      let close = at + quote.length;
      for (; close < text.length; close++) {
        if (text[close] !== '"') continue;
        let back = close;
        while (text[back - 1] === "\\") back--;
        const count = close - back;
        if (count < slashes || (count - slashes) % (2 * (slashes + 1)) === 0) break;
      }
      quotes.push({ open: at + slashes, close: Math.min(close, text.length - 1) });
      at = close;
    } else if (/[{}[\],:]/.test(text[at] ?? "")) marks.push({ at, mark: text[at] ?? "" });
  }
  return { marks, quotes, quote };
}

function pick<T>(list: readonly T[], roll: Roll): T | undefined {
  return list.length === 0 ? undefined : list[roll(list.length)];
}

function replaced(text: string, at: number, size: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + size);
}

/** Replaces one of the marks. */
function atMark(which: RegExp, change: (mark: string) => string): Fault["apply"] {
  return (text, roll) => {
    const found = pick(
      tokensOf(text).marks.filter(({ mark }) => which.test(mark)),
      roll,
    );
    return found && replaced(text, found.at, 1, change(found.mark));
  };
}

/** Replaces one of the quotes. */
function atQuote(side: "open" | "close", put: string): Fault["apply"] {
  return (text, roll) => {
    const { quotes, quote } = tokensOf(text);
    const found = pick(quotes, roll);
    return found && replaced(text, found[side] - quote.length + 1, quote.length, put);
  };
}

/** Replaces what stands between two marks. */
function betweenMarks(change: (gone: string) => string): Fault["apply"] {
  return (text, roll) => {
    const { marks } = tokensOf(text);
    const from = roll(marks.length);
    const start = marks[from]?.at;
    const end = marks[from + 1 + roll(Math.max(1, marks.length - from - 1))]?.at;
    return start === undefined || end === undefined
      ? undefined
      : replaced(text, start, end - start, change(text.slice(start, end)));
  };
}

function isLegal(text: string): boolean {
  const { quote } = tokensOf(text);
  try {
    const plain = Buffer.from(text, "latin1");
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(plain);
    JSON.parse(quote === '"' ? decoded : JSON.parse(`"${decoded}"`));
    return true;
  } catch {
    return false;
  }
}

function breaking({ name, apply }: Fault): Fault {
  return {
    name,
    apply(text, roll) {
      // The first try may hit a place where the text stays legal.
      for (let tries = 0; tries < 8; tries++) {
        const broken = apply(text, roll);
        if (broken === undefined) return undefined;
        if (broken !== text && !isLegal(broken)) return broken;
      }
      return undefined;
    },
  };
}

const page =
  "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>";

/** Faults in a body that is one JSON text. */
export const bodyFaults: readonly Fault[] = all(breaking, [
  { name: "a comma is missing", apply: atMark(/,/, () => " ") },
  { name: "a colon is missing", apply: atMark(/:/, () => " ") },
  { name: "a colon became a comma", apply: atMark(/:/, () => ",") },
  { name: "a comma became a semicolon", apply: atMark(/,/, () => ";") },
  { name: "a closing bracket is missing", apply: atMark(/[}\]]/, () => "") },
  { name: "an opening bracket is missing", apply: atMark(/[{[]/, () => "") },
  { name: "a closing bracket stands twice", apply: atMark(/[}\]]/, (mark) => mark + mark) },
  { name: "an opening bracket stands twice", apply: atMark(/[{[]/, (mark) => mark + mark) },
  { name: "a bracket closes another kind", apply: atMark(/[}\]]/, (mark) => (mark === "}" ? "]" : "}")) },
  { name: "a quote that opens is missing", apply: atQuote("open", "") },
  { name: "a quote that closes is missing", apply: atQuote("close", "") },
  { name: "a quote became an apostrophe", apply: atQuote("open", "'") },
  { name: "a backslash before a closing quote", apply: atQuote("close", '\\"') },
  { name: "one bad byte", apply: atMark(/[{}[\],:]/, () => "\xff") },
  { name: "a part is cut off", apply: (text, roll) => text.slice(0, 2 + roll(Math.max(1, text.length - 2))) },
  { name: "only the first bytes are left", apply: (text, roll) => text.slice(0, 13 + roll(40)) },
  { name: "a part is left out", apply: betweenMarks(() => "") },
  { name: "a part is overwritten", apply: betweenMarks((gone) => "#".repeat(gone.length)) },
  { name: "a part is zeroed", apply: betweenMarks((gone) => "\0".repeat(gone.length)) },
  { name: "a note of the logger stands for a part", apply: betweenMarks((gone) => `[${gone.length} bytes]`) },
  { name: "a part stands twice", apply: betweenMarks((gone) => gone + gone) },
  { name: "it begins again in the middle", apply: (text, roll) => text.slice(0, roll(text.length)) + text },
  {
    name: "a bracket behind the end",
    apply: (text, roll) => text + (pick(["}", "]", "}}", ',"a":1}'], roll) ?? ""),
  },
  {
    name: "words before the beginning",
    apply: (text, roll) => (pick([")]}',\n", "x", "OK ", "undefined"], roll) ?? "") + text,
  },
  { name: "a page in its place", apply: () => page },
  { name: "a printed object in its place", apply: () => "[object Object]" },
]);

/** An invalid value between the elements and members of a body, for each kind. */
export const valueFaults: readonly Fault[] = invalidValues.map(([name, value]) =>
  breaking({
    name: `${name} among the values`,
    apply(text, roll) {
      const { marks, quote } = tokensOf(text);
      const found = pick(
        marks.filter(({ mark }) => /[[,:]/.test(mark)),
        roll,
      );
      return (
        found &&
        replaced(text, found.at + 1, 0, `${value.replaceAll('"', quote)}${found.mark === ":" ? " " : ","}`)
      );
    },
  }),
);

/** The events of a stream with the blank lines behind them. */
function eventsOf(text: string): string[] {
  return text.match(/[\s\S]+?\n\n|[\s\S]+$/g) ?? [];
}

/** Damages the data of one event. */
function inEvent(place: "first" | "middle", fault: Fault): Fault {
  return changing({
    name: `${place} event: ${fault.name}`,
    apply(text, roll) {
      const events = eventsOf(text);
      const inner = events.length - 2;
      const index = place === "first" ? 0 : 1 + roll(Math.max(1, inner));
      const event = events[index];
      const data = /^data: ?(.*)$/m.exec(event ?? "");
      if (!event || !data?.[1]) return undefined;
      const broken = fault.apply(data[1], roll);
      if (broken === undefined) return undefined;
      const at = data.index + data[0].length - data[1].length;
      events[index] = replaced(event, at, data[1].length, broken);
      return events.join("");
    },
  });
}

function all(made: (fault: Fault) => Fault, faults: readonly Fault[]): readonly Fault[] {
  return faults.map(made);
}

function changing({ name, apply }: Fault): Fault {
  return {
    name,
    apply(text, roll) {
      const broken = apply(text, roll);
      return broken === text ? undefined : broken;
    },
  };
}

/** Faults in a body that is a stream of server-sent events. */
export const streamFaults: readonly Fault[] = all(changing, [
  ...(["first", "middle"] as const).flatMap((place) =>
    bodyFaults
      .filter(({ name }) => !/page|printed|begins again|words before/.test(name))
      .map((fault) => inEvent(place, fault)),
  ),
  {
    name: "cut in the first event",
    apply: (text, roll) => text.slice(0, 8 + roll(Math.max(1, (eventsOf(text)[0]?.length ?? 0) - 12))),
  },
  {
    name: "cut in a middle event",
    apply: (text, roll) => {
      const [first = "", ...events] = eventsOf(text);
      const upTo = 1 + roll(Math.max(1, events.length - 2));
      const whole = first + events.slice(0, upTo - 1).join("");
      const next = events[upTo - 1] ?? "";
      return whole + next.slice(0, 9 + roll(Math.max(1, next.length - 12)));
    },
  },
  { name: "a page in its place", apply: () => page },
  {
    name: "a page in the middle",
    apply: (text, roll) => {
      const events = eventsOf(text);
      return events.slice(0, 1 + roll(Math.max(1, events.length - 2))).join("") + page;
    },
  },
  {
    name: "the name of a field is misspelt",
    apply: (text, roll) => {
      const events = eventsOf(text);
      const index = roll(Math.max(1, events.length - 1));
      events[index] = (events[index] ?? "").replace(
        "data:",
        pick(["date:", "dat", "Data :", "ata:"], roll) ?? "",
      );
      return events.join("");
    },
  },
]);

/** Faults in a file, wherever they hit it. */
export const fileFaults: readonly Fault[] = all(changing, [
  {
    name: "the file is cut",
    apply: (text, roll) => text.slice(0, Math.floor(text.length / 8) + roll(text.length)),
  },
  { name: "the file begins in the middle", apply: (text, roll) => text.slice(roll(text.length >> 1)) },
  {
    name: "words between two lines",
    apply: inLines((line, _, roll) => [
      pick(["Killed", "--- 8< ---", "%%% lost %%%", "}}", "]"], roll) ?? "",
      line,
    ]),
  },
  { name: "a tab before a line", apply: inLines((line) => [`\t${line}`]) },
  {
    name: "a line loses its indent",
    apply: inLines((line) => (/^\s/.test(line) ? [line.trimStart()] : undefined)),
  },
  { name: "a line is indented", apply: inLines((line) => [`   ${line}`]) },
  {
    name: "a colon of a line is lost",
    apply: inLines((line) => (/: |:$/.test(line) ? [line.replace(/: |:$/, " ")] : undefined)),
  },
  {
    name: "a line is cut",
    apply: inLines((line, _, roll) =>
      line.length > 8 ? [line.slice(0, 1 + roll(line.length - 1))] : undefined,
    ),
  },
  {
    name: "two lines run together",
    apply: inLines((line, next) => (next === undefined ? undefined : [line + next]), 2),
  },
  {
    name: "two lines change places",
    apply: inLines((line, next) => (next === undefined ? undefined : [next, line]), 2),
  },
  { name: "a quote of the file is lost", apply: atByte(/["']/, () => "") },
  { name: "a bracket of the file is lost", apply: atByte(/[{}[\]]/, () => "") },
  { name: "a byte of the file is bad", apply: atByte(/[\s\S]/, () => "\xff") },
  { name: "a byte of the file is zero", apply: atByte(/[\s\S]/, () => "\0") },
  {
    name: "a block of the file is zeroed",
    apply: (text, roll) => {
      const at = roll(text.length);
      return replaced(text, at, 64, "\0".repeat(Math.min(64, text.length - at)));
    },
  },
  { name: "a block of the file is lost", apply: (text, roll) => replaced(text, roll(text.length), 64, "") },
]);

/** Replaces `count` lines. */
function inLines(
  change: (line: string, next: string | undefined, roll: Roll) => string[] | undefined,
  count = 1,
): Fault["apply"] {
  return (text, roll) => {
    const lines = text.split("\n");
    for (let tries = 0; tries < 8; tries++) {
      const index = roll(lines.length);
      const put = change(lines[index] ?? "", lines[index + 1], roll);
      if (put) return [...lines.slice(0, index), ...put, ...lines.slice(index + count)].join("\n");
    }
    return undefined;
  };
}

/** Replaces one byte of a kind. */
function atByte(which: RegExp, change: (byte: string) => string): Fault["apply"] {
  return (text, roll) => {
    for (let tries = 0; tries < 200; tries++) {
      const at = roll(text.length);
      const byte = text[at] ?? "";
      if (which.test(byte)) return replaced(text, at, 1, change(byte));
    }
    return undefined;
  };
}
