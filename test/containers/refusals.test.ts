import { expect, test } from "vitest";
import { ask, open, say, told } from "./stories.ts";

const url = "https://gateway.example/v1/chat/completions";
const words = "messages: roles must alternate";
const request = ask("Oslo?");
const refused = `user "Oslo?" → (error: ${words})`;
const line = (record: object): string => `${JSON.stringify(record)}\n`;

test.each<[string, unknown]>([
  ["an object with a message", { message: words }],
  ["what .NET writes", { Message: words }],
  ["a detail", { detail: words }],
  ["the detail of a problem", { type: "about:blank", title: "Bad Request", status: 400, detail: words }],
  ["a list of errors", { errors: [{ message: words }] }],
  ["JSON in a string", JSON.stringify({ message: words })],
  ["plain text", words],
  ["an error in a cloud's words", { __type: "ValidationException", message: words }],
])("the reply to a request that failed may be %s", async (_, response) => {
  expect(await told(line({ url, status: 400, request, response }))).toEqual([refused]);
  const body = { url, request: { body: request }, response: { status: 400, headers: {}, body: response } };
  expect(await told(line(body))).toEqual([refused]);
});

test.each<[string, object]>([
  ["as text", { error: words }],
  ["under another name", { error_message: words, success: false }],
  [
    "as the object of a library",
    { error: { name: "BadRequestError", status: 400, message: words, stack: "at x" } },
  ],
  [
    "with the server's own words in it",
    {
      error: {
        name: "AI_APICallError",
        message: "Bad Request",
        statusCode: 400,
        responseBody: line({ message: words }),
      },
    },
  ],
])("an error may stand beside its request %s", async (_, rest) => {
  expect(await told(line({ url, request, ...rest }))).toEqual([refused]);
});

test("in a record of its own, an error answers the request with which it shares an id", async () => {
  const log = (id: string): string =>
    line({ request_id: "r1", url, body: request }) +
    line({ request_id: id, status: 400, body: { message: words } });
  expect(await told(log("r1"))).toEqual([refused]);
  expect(await told(log("r2"))).toEqual(['user "Oslo?" → ?']);
});

test("in HAR files, cassettes and raw HTTP", async () => {
  const text = JSON.stringify(request);
  const har = {
    log: {
      version: "1.2",
      entries: [
        {
          request: { method: "POST", url, headers: [], postData: { mimeType: "application/json", text } },
          response: { status: 400, headers: [], content: { mimeType: "text/plain", text: words } },
        },
      ],
    },
  };
  expect(await told(JSON.stringify(har))).toEqual([refused]);
  const cassette = `interactions:
- request:
    method: POST
    uri: ${url}
    body: '${text}'
  response:
    status: {code: 400, message: Bad Request}
    headers: {}
    body: {string: '${words}'}
version: 1
`;
  expect(await told(cassette)).toEqual([refused]);
  const asked = `POST ${url} HTTP/1.1\r\nHost: gateway.example\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const answered = `HTTP/1.1 400 Bad Request\r\nContent-Length: ${words.length}\r\n\r\n${words}`;
  const trace = `httprr trace v1\n${asked.length} ${answered.length}\n${asked}${answered}`;
  expect(await told(trace)).toEqual([refused]);
});

test("what is no error is none", async () => {
  const answer = { url, status: 200, request, response: say("chatcmpl-1", "9 °C."), error: null };
  expect(await told(line(answer))).toEqual(['user "Oslo?" → assistant "9 °C." (stop)']);
  const waits = 'user "Oslo?" → ?';
  expect(await told(line({ url, status: 200, request, response: { message: "queued for later" } }))).toEqual([
    waits,
  ]);
  expect(
    await told(line({ url, status: 502, request, response: "<html><body>Bad gateway</body></html>" })),
  ).toEqual([waits]);
  expect(
    await told(line({ url, status: 400, request: { body: request, content: "no reply at all" } })),
  ).toEqual([waits]);
});

test("the status of the response is the exchange's", async () => {
  const log = line({ url, request: { body: request }, response: { status: 400, body: { detail: words } } });
  expect((await open(log)).exchanges.map(({ status }) => status)).toEqual([400]);
});
