/** Bytes that are not UTF-8 become these characters, which no text has, and become the same bytes again. */
const escapeBase = 0xdc00;

/** The text of a log; every byte can be written again. */
export function textOfLog(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!text.includes("\ufffd")) return text;
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString("utf8", copied, at), String.fromCharCode(escapeBase + (bytes[at] ?? 0)));
    copied = ++at;
  }
  parts.push(bytes.toString("utf8", copied));
  return parts.join("");
}

/** The bytes of a text, as {@link textOfLog} read it. */
export function bytesOfLog(text: string): Buffer {
  if (!/[\udc80-\udcff]/.test(text)) return Buffer.from(text);
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { 0: escaped, index } of text.matchAll(/(?<![\ud800-\udbff])[\udc80-\udcff]/g)) {
    parts.push(Buffer.from(text.slice(copied, index)), Buffer.from([escaped.charCodeAt(0) - escapeBase]));
    copied = index + 1;
  }
  parts.push(Buffer.from(text.slice(copied)));
  return Buffer.concat(parts);
}

/** The length of the UTF-8 sequence at a place; 0 if there is none. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || first >= 0xf5 || at + length > bytes.length) return 0;
  return bytes
    .subarray(at, at + length)
    .toString("utf8")
    .includes("\ufffd") && !bytes.subarray(at, at + length).equals(replacement)
    ? 0
    : length;
}

const replacement = Buffer.from("\ufffd");
