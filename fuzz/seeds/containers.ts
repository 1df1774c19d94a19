import { stringify } from "yaml";

/** Ways of keeping exchanges in a file. */

export interface Kept {
  readonly url: string;
  readonly request: object;
  readonly status: number;
  /** The reply's body: JSON, or the text of a stream. */
  readonly response: object | string;
}

const json = (value: unknown): string => JSON.stringify(value);
const textOf = (body: object | string): string => (typeof body === "string" ? body : json(body));
const typeOf = (body: object | string): string =>
  typeof body !== "string"
    ? "application/json"
    : body.startsWith("{")
      ? "application/x-ndjson"
      : "text/event-stream";
const lines = (records: readonly unknown[]): string => records.map((record) => `${json(record)}\n`).join("");
const single = (text: string, by: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(/\n+/g, (feeds) => `\n${feeds}${by}`)}'`;
const indented = (text: string, by: string): string => text.replace(/\n(?!\n|$)/g, `\n${by}`);

const har = (exchanges: readonly Kept[]): object => ({
  log: {
    version: "1.2",
    creator: { name: "browser", version: "1" },
    entries: exchanges.map(({ url, request, status, response }, index) => ({
      startedDateTime: `2026-01-05T12:00:${String(index % 60).padStart(2, "0")}.000Z`,
      time: 120,
      request: {
        method: "POST",
        url,
        headers: [{ name: "content-type", value: "application/json" }],
        postData: { mimeType: "application/json", text: json(request) },
      },
      response: {
        status,
        headers: [{ name: "content-type", value: typeOf(response) }],
        content: { mimeType: typeOf(response), text: textOf(response) },
      },
    })),
  },
});

/** A cassette, whose bodies are written as `scalar` says; `by` is the indent of its lines. */
const cassette =
  (scalar: (text: string, by: string) => string) =>
  (exchanges: readonly Kept[]): string =>
    `interactions:\n${exchanges
      .map(
        ({ url, request, status, response }) => `- request:
    body: ${scalar(json(request), "      ")}
    headers:
      content-type:
      - application/json
    method: POST
    uri: ${url}
  response:
    body:
      string: ${scalar(textOf(response), "        ")}
    headers:
      Content-Type:
      - ${typeOf(response)}
    status:
      code: ${status}
      message: OK
`,
      )
      .join("")}version: 1\n`;

/** A value as Python prints it. */
function printedByPython(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const escaped = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(quote, `\\${quote}`);
    return `${quote}${escaped}${quote}`;
  }
  if (Array.isArray(value)) return `[${value.map(printedByPython).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, each]) => `${printedByPython(key)}: ${printedByPython(each)}`)
      .join(", ")}}`;
  return String(value);
}

/** A snapshot of a test writes a comma behind each last member. */
const snapshot = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replace(/(?<![{[,])\n/g, ",\n")
    .replaceAll("`", "\\`");

/** The name of each way, with the file's name that people give it. */
export const containers: Readonly<
  Record<string, { readonly file: string; readonly keep: (exchanges: readonly Kept[]) => string }>
> = {
  jsonl: { file: "run.jsonl", keep: (exchanges) => lines(exchanges) },
  "escaped-jsonl": {
    file: "run.jsonl",
    keep: (exchanges) =>
      lines(
        exchanges.map(({ url, request, status, response }) => ({
          ts: "2026-01-05T12:00:00Z",
          url,
          body: json(request),
          status,
          response: textOf(response),
        })),
      ),
  },
  "two-lines": {
    file: "run.jsonl",
    keep: (exchanges) =>
      lines(
        exchanges.flatMap(({ url, request, status, response }, index) => [
          { event: "request", request_id: `r${index}`, url, body: request },
          { event: "response", request_id: `r${index}`, status, body: response },
        ]),
      ),
  },
  json: { file: "run.json", keep: (exchanges) => json(exchanges) },
  "pretty-json": { file: "run.json", keep: (exchanges) => `${JSON.stringify(exchanges, null, 2)}\n` },
  har: { file: "run.har", keep: (exchanges) => JSON.stringify(har(exchanges), null, 2) },
  "base64-har": {
    file: "run.har",
    keep: (exchanges) =>
      json(har(exchanges)).replace(
        /"content":\{"mimeType":("[^"]*"),"text":("(?:[^"\\]|\\.)*")\}/g,
        (_, type: string, text: string) =>
          `"content":{"mimeType":${type},"encoding":"base64","text":${json(Buffer.from(JSON.parse(text)).toString("base64"))}}`,
      ),
  },
  "quoted-cassette": { file: "run.yaml", keep: cassette(single) },
  "escaped-cassette": { file: "run.yaml", keep: cassette((text) => json(text)) },
  "block-cassette": { file: "run.yaml", keep: cassette((text, by) => `|-\n${by}${indented(text, by)}`) },
  "binary-cassette": {
    file: "run.yaml",
    keep: cassette((text, by) => `!!binary |\n${by}${Buffer.from(text).toString("base64")}`),
  },
  text: {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ url, request, status, response }, index) =>
            `2026-01-05 12:00:0${index % 10} INFO POST ${url}\n${JSON.stringify(request, null, 2)}\n2026-01-05 12:00:0${index % 10} INFO HTTP ${status}\n${typeof response === "string" ? response : JSON.stringify(response, null, 2)}\n`,
        )
        .join(""),
  },
  "prefixed-text": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ request, response }) =>
            `12:00:00 [agent] DEBUG request=${json(request)}\n12:00:01 [agent] DEBUG response=${textOf(response)}\n`,
        )
        .join(""),
  },
  httprr: {
    file: "run.httprr",
    keep: (exchanges) =>
      `httprr trace v1\n${exchanges
        .map(({ url, request, status, response }) => {
          const { host, pathname } = new URL(url);
          const [body, back] = [json(request), textOf(response)];
          const sent = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
          const got = `HTTP/1.1 ${status} OK\r\nContent-Type: ${typeOf(response)}\r\nContent-Length: ${Buffer.byteLength(back)}\r\n\r\n${back}`;
          return `${Buffer.byteLength(sent)} ${Buffer.byteLength(got)}\n${sent}${got}`;
        })
        .join("")}`,
  },
  csv: {
    file: "run.csv",
    keep: (exchanges) =>
      `id,request,response\n${exchanges
        .map(
          ({ request, response }, index) =>
            `${index},"${json(request).replaceAll('"', '""')}","${textOf(response).replaceAll('"', '""')}"\n`,
        )
        .join("")}`,
  },
  nock: {
    file: "nock.json",
    keep: (exchanges) =>
      JSON.stringify(
        exchanges.map(({ url, request, status, response }) => ({
          scope: new URL(url).origin,
          method: "POST",
          path: new URL(url).pathname,
          body: request,
          status,
          response,
        })),
        null,
        2,
      ),
  },
  requests: { file: "run.jsonl", keep: (exchanges) => lines(exchanges.map(({ request }) => request)) },
  transcript: {
    file: "run.json",
    keep: (exchanges) => JSON.stringify(exchanges.at(-1)?.request ?? {}, null, 1),
  },
  "printed-jsonl": {
    file: "run.jsonl",
    keep: (exchanges) =>
      lines(
        exchanges.map(({ url, request, status, response }) => ({
          url,
          request: printedByPython(request),
          status,
          response: typeof response === "string" ? response : printedByPython(response),
        })),
      ),
  },
  "printed-text": {
    file: "run.log",
    keep: (exchanges) =>
      exchanges
        .map(
          ({ request, response }) =>
            `12:00:00 DEBUG request: ${printedByPython(request)}\n12:00:01 DEBUG response: ${typeof response === "string" ? response : printedByPython(response)}\n`,
        )
        .join(""),
  },
  snapshot: {
    file: "run.snap",
    keep: (exchanges) =>
      `// Jest Snapshot v1\n${exchanges
        .map(
          ({ request, response }, index) =>
            `\nexports[\`asks ${index + 1}\`] = \`\n${snapshot(request)}\n\`;\n\nexports[\`answers ${index + 1}\`] = \`\n${typeof response === "string" ? response : snapshot(response)}\n\`;\n`,
        )
        .join("")}`,
  },
  "yaml-bodies": {
    file: "run.yaml",
    keep: (exchanges) =>
      stringify({
        interactions: exchanges.map(({ url, request, status, response }) => ({
          request: { method: "POST", uri: url, parsed_body: request },
          response: {
            status: { code: status, message: "OK" },
            ...(typeof response === "string" ? { body: { string: response } } : { parsed_body: response }),
          },
        })),
        version: 1,
      }),
  },
  "yaml-messages": {
    file: "run.yaml",
    keep: (exchanges) => stringify(exchanges.at(-1)?.request ?? {}),
  },
  tsv: {
    file: "run.tsv",
    keep: (exchanges) =>
      `id\turl\trequest\tresponse\n${exchanges
        .map(
          ({ url, request, response }, index) =>
            `${index}\t${url}\t"${json(request).replaceAll('"', '""')}"\t"${textOf(response).replaceAll('"', '""')}"\n`,
        )
        .join("")}`,
  },
  wiremock: {
    file: "mappings.json",
    keep: (exchanges) =>
      JSON.stringify(
        {
          mappings: exchanges.map(({ url, request, status, response }) => ({
            request: {
              method: "POST",
              url: new URL(url).pathname,
              bodyPatterns: [{ equalToJson: json(request) }],
            },
            response: { status, body: textOf(response) },
          })),
        },
        null,
        2,
      ),
  },
  replies: {
    file: "run.sse",
    keep: (exchanges) => exchanges.map(({ response }) => textOf(response)).join("\n"),
  },
};
