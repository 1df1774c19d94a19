import { deflateRawSync, gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";

/** Bodies as bytes in latin1: they may be damaged, so no container may need to parse them. */
export interface Kept {
  readonly url: string;
  readonly request: string;
  readonly reply: string;
  /** The reply as a stream, if it is none. */
  readonly streamed?: string;
}

/** A way to keep exchanges in a file: the file's name, and its bytes as latin1. */
export interface Keeping {
  readonly file: string;
  readonly keep: (exchanges: readonly Kept[]) => string;
  /** It keeps replies alone, and only streams. */
  readonly isStreams?: boolean;
}

const latin = (text: string | Buffer): string => Buffer.from(text).toString("latin1");
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const isStream = (body: string): boolean => /^(?:event|data): /.test(body);

/** A text as a JSON string; bytes that are no UTF-8 stay as they are. */
function quoted(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
  };
  const escaped = [...text].map((byte) =>
    byte < " "
      ? (escapes[byte] ?? `\\u00${byte.charCodeAt(0).toString(16).padStart(2, "0")}`)
      : (escapes[byte] ?? byte),
  );
  return `"${escaped.join("")}"`;
}

/** A body as it is where JSON belongs, else as a string. */
const inJson = (body: string): string =>
  isStream(body) || body.startsWith("<") ? quoted(body) : body.replaceAll("\n", " ");
const record = (url: string, request: string, reply: string): string =>
  `{"url":"${url}","method":"POST","request":${request},"status":200,"response":${reply}}`;
const rawRecord = ({ url, request, reply }: Kept): string => record(url, inJson(request), inJson(reply));
const quotedRecord = ({ url, request, reply }: Kept): string => record(url, quoted(request), quoted(reply));
const lines = (records: readonly string[]): string => records.map((each) => `${each}\n`).join("");

const harEntry = ({ url, request, reply }: Kept): string =>
  `{"startedDateTime":"2026-01-05T12:00:00.000Z","time":9,"request":{"method":"POST","url":"${url}","headers":[],"postData":{"mimeType":"application/json","text":${quoted(request)}}},"response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":${quoted(reply)}}}}`;

const nockCall = (url: string, request: string, reply: string, more = ""): string =>
  `{"scope":"${new URL(url).origin}:443","method":"POST","path":"${new URL(url).pathname}","body":${request},"status":200,"response":${reply}${more}}`;

const sent = ({ url, request }: Kept): string => {
  const { host, pathname } = new URL(url);
  return `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n${request}`;
};
const received = ({ reply }: Kept): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${reply}`;

const cassette =
  (scalar: (text: string, indent: string) => string) =>
  (exchanges: readonly Kept[]): string =>
    `interactions:\n${exchanges
      .map(
        ({ url, request, reply }) =>
          `- request:\n    body: ${scalar(request, "      ")}\n    headers:\n      content-type:\n      - application/json\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: ${scalar(reply, "        ")}\n    status:\n      code: 200\n      message: OK\n`,
      )
      .join("")}version: 1\n`;

/** A line feed is folded into a blank line. */
const single = (text: string, indent: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(/\n+/g, (feeds) => `\n${feeds}${indent}`)}'`;
const double = (text: string): string => quoted(text);
const block = (text: string, indent: string): string =>
  `|-\n${indent}${text.replaceAll(/\n(?=[^\n])/g, `\n${indent}`)}`;
const packed = (text: string, indent: string): string =>
  `!!binary |\n${indent}${gzipSync(bytes(text)).toString("base64")}`;

const rubyCassette = (exchanges: readonly Kept[]): string =>
  `---\nhttp_interactions:\n${exchanges
    .map(
      ({ url, request, reply }) =>
        `- request:\n    method: post\n    uri: ${url}\n    body:\n      encoding: UTF-8\n      string: ${single(request, "        ")}\n  response:\n    status:\n      code: 200\n      message: OK\n    body:\n      encoding: UTF-8\n      string: ${single(reply, "        ")}\n  recorded_at: Mon, 05 Jan 2026 12:00:00 GMT\n`,
    )
    .join("")}recorded_with: VCR 6.2.0\n`;

const goCassette = (exchanges: readonly Kept[]): string =>
  `---\nversion: 2\ninteractions:\n${exchanges
    .map(
      ({ url, request, reply }, index) =>
        `    - id: ${index}\n      request:\n        body: ${double(request)}\n        url: ${url}\n        method: POST\n      response:\n        body: ${double(reply)}\n        status: 200 OK\n        code: 200\n`,
    )
    .join("")}`;

const burpItem = (kept: Kept): string => {
  const held = (text: string): string => `<![CDATA[${bytes(text).toString("base64")}]]>`;
  return `  <item>\n    <url><![CDATA[${kept.url}]]></url>\n    <host>${new URL(kept.url).host}</host>\n    <request base64="true">${held(sent(kept))}</request>\n    <status>200</status>\n    <response base64="true">${held(received(kept))}</response>\n  </item>\n`;
};

/** A typed netstring of mitmproxy. */
const net = (data: string, type = ","): string => `${data.length}:${data}${type}`;
const netMap = (members: Readonly<Record<string, string>>): string =>
  net(
    Object.entries(members)
      .map(([key, value]) => net(key, ";") + value)
      .join(""),
    "}",
  );
const flow = ({ url, request, reply }: Kept): string =>
  netMap({
    type: net("http", ";"),
    version: net("20", "#"),
    request: netMap({
      method: net("POST"),
      scheme: net("https"),
      host: net(new URL(url).host, ";"),
      port: net("443", "#"),
      path: net(new URL(url).pathname),
      headers: net("", "]"),
      content: net(request),
    }),
    response: netMap({ status_code: net("200", "#"), headers: net("", "]"), content: net(reply) }),
  });

/** A zip archive as small as they get. */
function zipped(files: readonly (readonly [name: string, content: string])[]): string {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [name, content] of files) {
    const deflated = deflateRawSync(bytes(content));
    const head = Buffer.alloc(30);
    head.write("PK\x03\x04", 0, "latin1");
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(deflated.length, 18);
    head.writeUInt32LE(content.length, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02", 0, "latin1");
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(deflated.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(head, Buffer.from(name), deflated);
    list.push(entry, Buffer.from(name));
    at += head.length + name.length + deflated.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return latin(Buffer.concat([...parts, ...list, end]));
}

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A text as PostgreSQL copies it, and in strings of SQL. */
const copied = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
const slashed = (text: string): string => copied(text).replaceAll('"', '\\"').replaceAll("'", "\\'");
const twice = (text: string): string => text.replaceAll("'", "''");

const encoded = (text: string): string => bytes(text).toString("base64");
/** A text as a field of a form holds it. */
const escaped = (text: string): string =>
  text
    .replaceAll(
      /[^\w.~!*'() -]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .replaceAll(" ", "+");

/** A body over several lines, if it is whole. */
function pretty(body: string): string {
  try {
    return latin(JSON.stringify(JSON.parse(bytes(body).toString()), null, 2));
  } catch {
    return body;
  }
}

/** The lines that a program prints of exchanges. */
const printed = (exchanges: readonly Kept[]): string[] =>
  exchanges.flatMap(({ url, request, reply }) => [`POST ${url} ${request}`, `200 ${reply}`]);

/** A text in parts, as runtimes keep long lines. */
const partsOf = (text: string): string[] => text.match(/[\s\S]{1,190}/g) ?? [];

/** What a terminal shows of exchanges, in the parts in which it came. */
const shown = (exchanges: readonly Kept[]): string[] =>
  partsOf(
    printed(exchanges)
      .map((line) => `${line.replaceAll("\n", "\r\n")}\r\n`)
      .join(""),
  );

/** What Apache's HTTP client logs of a message: a line for each line of it. */
function wired(direction: ">>" | "<<", message: string): string {
  const escapes: Readonly<Record<string, string>> = { "\r": "[\\r]", "\n": "[\\n]" };
  return (message.match(/[^\n]*\n|[^\n]+$/g) ?? [])
    .map((line) =>
      [...line].map((byte) =>
        byte >= " " && byte <= "~" ? byte : (escapes[byte] ?? `[0x${byte.charCodeAt(0).toString(16)}]`),
      ),
    )
    .map(
      (line) =>
        `10:00:00.001 [main] DEBUG org.apache.http.wire - http-outgoing-0 ${direction} "${line.join("")}"\n`,
    )
    .join("");
}

/** JSON in the words and quotes of another language, also where it is damaged. */
const worded =
  (words: Readonly<Record<string, string>>, keys: (text: string) => string) =>
  (body: string): string =>
    keys(
      body
        .replaceAll(/\b(?:true|false|null)\b(?=[,}\]])/g, (word) => words[word] ?? word)
        .replaceAll("'", "\\'")
        .replaceAll(/(?<!\\)"/g, "'")
        .replaceAll('\\"', '"'),
    );
const python = worded({ true: "True", false: "False", null: "None" }, (text) => text);
const node = worded({}, (text) => text.replaceAll(/'([A-Za-z_]\w*)':/g, "$1:"));

/** What a program prints of exchanges with their bodies as values of its language. */
const printing =
  (form: (body: string) => string): Keeping["keep"] =>
  (exchanges) =>
    exchanges
      .map(
        ({ url, request, reply }) =>
          `request to ${url}: ${form(request)}\nresponse: ${isStream(reply) ? `\n${reply}` : form(reply)}\n`,
      )
      .join("");

/** Every container by a name, some of them in the forms that their writers use. */
export const keepings: Readonly<Record<string, Keeping>> = {
  jsonl: { file: "run.jsonl", keep: (exchanges) => lines(exchanges.map(rawRecord)) },
  "jsonl of strings": { file: "run.jsonl", keep: (exchanges) => lines(exchanges.map(quotedRecord)) },
  "jsonl, two lines an exchange": {
    file: "run.jsonl",
    keep: (exchanges) =>
      lines(
        exchanges.flatMap(({ url, request, reply }, index) => [
          `{"event":"request","request_id":"r${index}","url":"${url}","body":${inJson(request)}}`,
          `{"event":"response","request_id":"r${index}","status":200,"body":${inJson(reply)}}`,
        ]),
      ),
  },
  recording: {
    file: "run.jsonl",
    keep: (exchanges) =>
      `{"toollintRecording":1}\n${lines(exchanges.map(({ url, request, reply }) => record(url, quoted(request), quoted(reply))))}`,
  },
  json: { file: "run.json", keep: (exchanges) => `[${exchanges.map(rawRecord).join(",\n")}]\n` },
  "json of strings": {
    file: "run.json",
    keep: (exchanges) => `[\n  ${exchanges.map(quotedRecord).join(",\n  ")}\n]\n`,
  },
  har: {
    file: "run.har",
    keep: (exchanges) =>
      `{"log":{"version":"1.2","creator":{"name":"proxy","version":"1"},"entries":[\n${exchanges.map(harEntry).join(",\n")}\n]}}\n`,
  },
  nock: {
    file: "run.json",
    keep: (exchanges) =>
      `[\n${exchanges.map(({ url, request, reply }) => nockCall(url, quoted(request), quoted(reply))).join(",\n")}\n]\n`,
  },
  "nock in hex": {
    file: "run.json",
    keep: (exchanges) =>
      `[\n${exchanges
        .map(({ url, request, reply }) =>
          nockCall(
            url,
            quoted(request),
            `["${gzipSync(bytes(reply)).toString("hex")}"]`,
            ',"rawHeaders":["Content-Encoding","gzip"]',
          ),
        )
        .join(",\n")}\n]\n`,
  },
  "vcr in single quotes": { file: "run.yaml", keep: cassette(single) },
  "vcr in double quotes": { file: "run.yaml", keep: cassette(double) },
  "vcr in blocks": { file: "run.yaml", keep: cassette(block) },
  "vcr, compressed": { file: "run.yaml", keep: cassette(packed) },
  "vcr of Ruby": { file: "run.yml", keep: rubyCassette },
  "vcr of Go": { file: "run.yaml", keep: goCassette },
  httprr: {
    file: "run.httprr",
    keep: (exchanges) =>
      `httprr trace v1\n${exchanges
        .map((kept) => {
          const [asked, answered] = [sent(kept), received(kept)];
          return `${asked.length} ${answered.length}\n${asked}${answered}`;
        })
        .join("")}`,
  },
  docker: {
    file: "run.log",
    keep: (exchanges) =>
      printed(exchanges)
        .map(
          (line) =>
            `${JSON.stringify({ log: `${line}\n`, stream: "stdout", time: "2026-01-05T12:00:00Z" })}\n`,
        )
        .join(""),
  },
  kubernetes: {
    file: "run.log",
    keep: (exchanges) =>
      printed(exchanges)
        .map((line) => `2026-01-05T12:00:00.123456789Z stdout F ${line}\n`)
        .join(""),
  },
  "docker, in parts": {
    file: "run.log",
    keep: (exchanges) =>
      printed(exchanges)
        .flatMap((line) => partsOf(`${line}\n`))
        .map((log) => `{"log":${quoted(log)},"stream":"stdout","time":"2026-01-05T12:00:00Z"}\n`)
        .join(""),
  },
  "kubernetes, in parts": {
    file: "run.log",
    keep: (exchanges) =>
      printed(exchanges)
        .flatMap((text) => text.split("\n"))
        .flatMap((line) =>
          partsOf(line).map((part, index, all) => `${index + 1 === all.length ? "F" : "P"} ${part}`),
        )
        .map((part) => `2026-01-05T12:00:00.123456789Z stdout ${part}\n`)
        .join(""),
  },
  asciicast: {
    file: "run.cast",
    keep: (exchanges) =>
      `{"version":3,"term":{"cols":120,"rows":40}}\n[0.1,"i","node agent.js\\r"]\n${shown(exchanges)
        .map((part) => `[0.02,"o",${quoted(part)}]\n`)
        .join("")}[0.1,"x","0"]\n`,
  },
  "asciicast of version 1": {
    file: "run.json",
    keep: (exchanges) =>
      `{"version":1,"width":80,"height":24,"stdout":[${shown(exchanges)
        .map((part) => `[0.02,${quoted(part)}]`)
        .join(",\n")}]}`,
  },
  "wire log of Apache": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges.map((kept) => wired(">>", sent(kept)) + wired("<<", received(kept))).join(""),
  },
  "printed by Python": { file: "run.log", keep: printing(python) },
  "printed by Node": { file: "run.log", keep: printing(node) },
  "coloured by jq": {
    file: "run.log",
    keep: (exchanges) =>
      lines(exchanges.map(rawRecord)).replaceAll(
        /"(?:[^"\\\n]|\\.)*"/g,
        (text) => `\u001b[0;32m${text}\u001b[0m`,
      ),
  },
  parquet: {
    file: "run.parquet",
    keep: (exchanges) => {
      const column = (name: string, data: readonly string[]) => ({
        name,
        // Cells are bytes, damaged or not.
        data: data.map((text) => new Uint8Array(bytes(text))),
        type: "BYTE_ARRAY" as const,
      });
      const columnData = [
        column(
          "url",
          exchanges.map(({ url }) => url),
        ),
        column(
          "request",
          exchanges.map(({ request }) => request),
        ),
        column(
          "response",
          exchanges.map(({ reply }) => reply),
        ),
      ];
      return latin(Buffer.from(parquetWriteBuffer({ columnData, codec: "UNCOMPRESSED" })));
    },
  },
  burp: {
    file: "run.xml",
    keep: (exchanges) =>
      `<?xml version="1.0"?>\n<items burpVersion="2025.8" exportTime="now">\n${exchanges.map(burpItem).join("")}</items>\n`,
  },
  mitmproxy: { file: "run.flows", keep: (exchanges) => exchanges.map(flow).join("") },
  zip: {
    file: "run.saz",
    keep: (exchanges) =>
      zipped(
        exchanges.flatMap((kept, index) => [
          [`raw/${index + 1}_c.txt`, sent(kept)] as const,
          [`raw/${index + 1}_s.txt`, received(kept)] as const,
        ]),
      ),
  },
  csv: {
    file: "run.csv",
    keep: (exchanges) =>
      `id,url,request,status,response\n${exchanges.map(({ url, request, reply }, index) => `${index},${url},${cell(request)},200,${cell(reply)}\n`).join("")}`,
  },
  "dump of PostgreSQL": {
    file: "run.sql",
    keep: (exchanges) =>
      `--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\nCOPY public.calls (id, url, request, status, response) FROM stdin;\n${exchanges
        .map(
          ({ url, request, reply }, index) => `${index}\t${url}\t${copied(request)}\t200\t${copied(reply)}\n`,
        )
        .join("")}\\.\n\n--\n-- PostgreSQL database dump complete\n--\n`,
  },
  "dump of MySQL": {
    file: "run.sql",
    keep: (exchanges) =>
      `-- MySQL dump 10.13  Distrib 8.4.0\n\nCREATE TABLE \`calls\` (\n  \`id\` int NOT NULL,\n  \`url\` text,\n  \`request\` json,\n  \`response\` json,\n  PRIMARY KEY (\`id\`)\n);\nINSERT INTO \`calls\` VALUES ${exchanges
        .map(
          ({ url, request, reply }, index) => `(${index},'${url}','${slashed(request)}','${slashed(reply)}')`,
        )
        .join(",")};\n`,
  },
  "dump of sqlite3": {
    file: "run.sql",
    keep: (exchanges) =>
      `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE calls(url TEXT, request TEXT, response TEXT);\n${exchanges
        .map(
          ({ url, request, reply }) =>
            `INSERT INTO calls VALUES('${url}','${twice(request)}','${twice(reply)}');\n`,
        )
        .join("")}COMMIT;\n`,
  },
  "text under headings": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ request, reply }, index) =>
            `--- REQUEST ${index + 1} ---\n${pretty(request)}\n--- RESPONSE ${index + 1} (200) ---\n${isStream(reply) ? reply : pretty(reply)}\n`,
        )
        .join("\n"),
  },
  "text on lines": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ url, request, reply }) =>
            `2026-01-05 12:00:00 INFO POST ${url} body=${request}\n2026-01-05 12:00:01 INFO response status=200 body=${isStream(reply) ? `\n${reply}` : reply}\n`,
        )
        .join(""),
  },
  "text with forms": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ url, request, reply }) =>
            `2026-01-05 12:00:00 INFO POST ${url} payload=${escaped(request)}&n=1\n2026-01-05 12:00:01 INFO response status=200 payload=${isStream(reply) ? `\n${reply}` : escaped(reply)}\n`,
        )
        .join(""),
  },
  "text with base64": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ url, request, reply }) =>
            `2026-01-05 12:00:00 INFO POST ${url} body=${encoded(request)}\n2026-01-05 12:00:01 INFO response status=200 body=${encoded(reply)}\n`,
        )
        .join(""),
  },
  "csv of base64": {
    file: "run.csv",
    keep: (exchanges) =>
      `id,url,request,response\n${exchanges.map(({ url, request, reply }, index) => `${index},${url},${encoded(request)},${encoded(reply)}\n`).join("")}`,
  },
  "jsonl of forms": {
    file: "run.jsonl",
    keep: (exchanges) =>
      lines(
        exchanges.map(({ url, request, reply }) =>
          record(url, quoted(`payload=${escaped(request)}`), quoted(reply)),
        ),
      ),
  },
  "text with a prefix": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(({ url, request, reply }) =>
          `POST ${url}\n${pretty(request)}\nHTTP/1.1 200 OK\n${isStream(reply) ? reply.trimEnd() : pretty(reply)}`.replaceAll(
            /^/gm,
            "[agent] ",
          ),
        )
        .join("\n"),
  },
  sse: {
    file: "run.sse",
    keep: (exchanges) => exchanges.map(({ reply, streamed = reply }) => streamed).join(""),
    isStreams: true,
  },
  "raw HTTP": {
    file: "run.log",
    keep: (exchanges) => exchanges.map((kept) => `${sent(kept)}\r\n${received(kept)}\r\n`).join("\r\n"),
  },
};
