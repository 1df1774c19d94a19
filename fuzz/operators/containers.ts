import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Dice } from "../dice.ts";
import { Embedded, isObject, nodesOf, print, printed, Raw, Stream, slicesOf } from "../document.ts";
import { type Operator, onText, type Victim } from "./operator.ts";

/** Changes a member that holds a body: an object of its own, or JSON or a stream in a string. */
const onBody =
  (change: (text: string, dice: Dice, isString: boolean) => unknown) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const places: { fields: Record<string, unknown>; key: string }[] = [];
    for (const { root } of slices)
      for (const { value } of nodesOf(root.value)) {
        const fields = value as Record<string, unknown>;
        for (const [key, each] of Object.entries(fields)) {
          const isHeld = each instanceof Embedded || each instanceof Stream;
          if (isHeld || (isObject(each) && /^(?:request|response|body|payload|reply)$/.test(key)))
            places.push({ fields, key });
        }
      }
    if (places.length === 0) return undefined;
    const { fields, key } = dice.pick(places);
    const body = fields[key];
    const isString = body instanceof Embedded || body instanceof Stream;
    fields[key] = change(isString ? body.text : print(body, ""), dice, isString);
    return printed(text, slices);
  };

const base64 = (bytes: Buffer): string => bytes.toString("base64");

const onLog: Readonly<Record<string, (victim: Victim) => Buffer>> = {
  "gzip the file": ({ log }) => gzipSync(log),
  "cut gzip": ({ log, dice }) => {
    const packed = gzipSync(log);
    return packed.subarray(0, dice.between(4, packed.length));
  },
  "damaged gzip": ({ log, dice }) => {
    const packed = Buffer.from(gzipSync(log));
    packed[dice.below(packed.length)] = dice.below(256);
    return packed;
  },
  "gzip twice": ({ log }) => gzipSync(gzipSync(log)),
  "UTF-16": ({ log }) =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(log.toString("utf8"), "utf16le")]),
  Latin1: ({ log }) => Buffer.from(log.toString("utf8"), "latin1"),
};

export const containerOperators: readonly Operator[] = [
  ...onText("containers", {
    "escape a body": onBody((text) => text),
    "escape a body twice": onBody((text) => JSON.stringify(text)),
    "escape a body thrice": onBody((text) => JSON.stringify(JSON.stringify(text))),
    "unescape a body": onBody((text, _, isString) => (isString && /^[[{]/.test(text) ? new Raw(text) : text)),
    "base64 of a body": onBody((text) => base64(Buffer.from(text))),
    "gzip of a body": onBody((text, dice) =>
      base64(dice.pick([gzipSync, brotliCompressSync, deflateSync])(Buffer.from(text))),
    ),
    "cut a body": onBody((text, dice) => text.slice(0, dice.below(text.length))),
    "cut a body's beginning": onBody((text, dice) => text.slice(1 + dice.below(text.length))),
    "a body in pieces": onBody((text, dice) => {
      const at = dice.below(text.length);
      return [text.slice(0, at), text.slice(at)];
    }),
    "a mark before a body": onBody((text) => `\ufeff${text}`),
    "an XSSI guard before a body": onBody((text) => `)]}',\n${text}`),
    "a body in a fence": onBody((text) => `\`\`\`json\n${text}\n\`\`\``),
    "a body as Python writes it": onBody((text) =>
      text.replaceAll("'", "\\'").replaceAll('"', "'").replaceAll("null", "None").replaceAll("true", "True"),
    ),
    "a body with CR LF": onBody((text) => text.replaceAll("\n", "\r\n")),
    "a body behind HTTP headers": onBody(
      (text) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${text}`,
    ),
    "chunk sizes in a body": onBody((text) => {
      const half = text.length >> 1;
      const chunk = (part: string): string => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;
      return `${chunk(text.slice(0, half))}${chunk(text.slice(half))}0\r\n\r\n`;
    }),
    "remove headers": (text) => {
      const slices = slicesOf(text);
      for (const { root } of slices)
        for (const { value } of nodesOf(root.value))
          if (!Array.isArray(value))
            for (const key of Object.keys(value)) if (/headers$/i.test(key)) delete value[key];
      const out = printed(text, slices).replace(/^ *headers:\n(?: *[\w-]+:\n *- .*\n)+/gm, "");
      return out === text ? undefined : out;
    },
    "remove what is around bodies": (text) => {
      const slices = slicesOf(text);
      return slices.length === 0
        ? undefined
        : `${slices.map(({ start, end }) => text.slice(start, end)).join("\n")}\n`;
    },
    "one more space in YAML": (text, { dice }) => {
      const places = [...text.matchAll(/^ +(?=\S)/gm)];
      if (places.length === 0) return undefined;
      const { index } = dice.pick(places);
      return dice.once(2)
        ? `${text.slice(0, index)} ${text.slice(index)}`
        : text.slice(0, index) + text.slice(index + 1);
    },
    "a tab in YAML": (text, { dice }) => {
      const places = [...text.matchAll(/^ {2}(?=\S| )/gm)];
      if (places.length === 0) return undefined;
      const { index } = dice.pick(places);
      return `${text.slice(0, index)}\t${text.slice(index + 2)}`;
    },
    "a line of YAML": (text, { dice }) => {
      const places = [...text.matchAll(/^ *[\w-]+:.*\n/gm)];
      if (places.length === 0) return undefined;
      const { index, 0: line } = dice.pick(places);
      const other = dice.pick([
        "",
        line + line,
        line.replace(":", ""),
        line.replace(": ", ": &a "),
        line.replace(": ", ": *a "),
        line.replace(": ", ": !!binary "),
        line.replace(/: .*/, ": |"),
        line.replace(/: .*/, ": >-\n"),
      ]);
      return text.slice(0, index) + other + text.slice(index + line.length);
    },
    "a stated length": (text, { dice }) => {
      const places = [...text.matchAll(/\b\d{2,6}\b/g)];
      if (places.length === 0) return undefined;
      const { index, 0: number } = dice.pick(places);
      return `${text.slice(0, index)}${Number(number) + dice.between(-3, 3)}${text.slice(index + number.length)}`;
    },
    "two documents": (text) => `${text.trimEnd()}\n${text}`,
    "documents without a line end between": (text) => `${text.trimEnd()}${text}`,
    "a list of the lines": (text) => `[${text.trimEnd().split("\n").join(",\n")}]`,
  }),
  ...Object.entries(onLog).map(([name, apply]) => ({ name: `containers/${name}`, apply })),
];
