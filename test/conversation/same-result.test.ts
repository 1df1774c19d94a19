import { describe, expect, test } from "vitest";
import { keyOfText } from "../../src/conversation/same-result.ts";

/** A tool's output twice: what the tool is, the first output, the second. */
type Pair = readonly [tool: string, first: string, second: string];

const same: readonly Pair[] = [
  [
    "a shell that names its chunk",
    "Chunk ID: c388d5\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\nindex.js\nutil.js",
    "Chunk ID: fdabce\nWall time: 1.0312 seconds\nProcess exited with code 0\nOutput:\nindex.js\nutil.js",
  ],
  [
    "a shell that names its process group",
    "Output: (empty)\nExit code: 0\nProcess Group PGID: 9998",
    "Output: (empty)\nExit code: 0\nProcess Group PGID: 10122",
  ],
  [
    "ls, while another program touches a file",
    "total 8\n-rw-r--r-- 1 ada ada 20 Nov 22 14:05 index.js\n-rw-r--r-- 1 ada ada  9 Nov 22 14:05 notes.md",
    "total 8\n-rw-r--r-- 1 ada ada 20 Nov 22 14:05 index.js\n-rw-r--r-- 1 ada ada  9 Nov 22 14:07 notes.md",
  ],
  [
    "a shell's job in the background",
    "[1] 48121\nserver already running, exit",
    "[1] 48177\nserver already running, exit",
  ],
  [
    "time make",
    "make: Nothing to be done for 'all'.\nreal\t0m0.035s\nuser\t0m0.020s\nsys\t0m0.009s",
    "make: Nothing to be done for 'all'.\nreal\t0m0.041s\nuser\t0m0.022s\nsys\t0m0.010s",
  ],
  [
    "mktemp in a script",
    "wrote /tmp/tmp.Xa3sd9Qk/report.txt: no rows matched the filter",
    "wrote /tmp/tmp.9sKq01Zz/report.txt: no rows matched the filter",
  ],
  [
    "a script on macOS",
    "cannot open /var/folders/zz/q8d1/T/build-1123/out.log: no such file",
    "cannot open /var/folders/zz/q8d1/T/build-1188/out.log: no such file",
  ],
  [
    "a script on Windows",
    "Datei C:\\Users\\ada\\AppData\\Local\\Temp\\tmpA1f3\\aus.txt nicht gefunden",
    "Datei C:\\Users\\ada\\AppData\\Local\\Temp\\tmp99xk\\aus.txt nicht gefunden",
  ],
  [
    "vitest",
    " Tests  1 failed | 12 passed (13)\n   Start at  14:05:11\n   Duration  1.23s (transform 45ms, setup 0ms)",
    " Tests  1 failed | 12 passed (13)\n   Start at  14:06:40\n   Duration  987ms (transform 51ms, setup 1ms)",
  ],
  [
    "pytest",
    "E   AssertionError: 4 != 5\n=== 1 failed, 41 passed in 0.34s ===",
    "E   AssertionError: 4 != 5\n=== 1 failed, 41 passed in 12.08s ===",
  ],
  [
    "go test",
    "--- FAIL: TestParse (0.00s)\n    parse_test.go:14: got 3\nFAIL\tshop/parse\t0.012s",
    "--- FAIL: TestParse (0.01s)\n    parse_test.go:14: got 3\nFAIL\tshop/parse\t0.139s",
  ],
  [
    "a test with objects in its message",
    "TypeError: <Order object at 0x7f3a1c0d2e50> is not JSON serializable",
    "TypeError: <Order object at 0x7f9b44e81a10> is not JSON serializable",
  ],
  [
    "a Java stack trace",
    "java.lang.IllegalStateException: closed: com.shop.Cart@1b6d3586 at Cart.java:41",
    "java.lang.IllegalStateException: closed: com.shop.Cart@4554617c at Cart.java:41",
  ],
  [
    "gradle",
    "BUILD FAILED in 3s\n2 actionable tasks: 1 executed, 1 up-to-date",
    "BUILD FAILED in 1m 12s\n2 actionable tasks: 1 executed, 1 up-to-date",
  ],
  [
    "cargo",
    "    Finished `dev` profile target(s) in 0.52s\n     Running `target/debug/shop`\nno orders",
    "    Finished `dev` profile target(s) in 0.07s\n     Running `target/debug/shop`\nno orders",
  ],
  [
    "node with a warning",
    "(node:4711) Warning: the package is deprecated\nundefined is not a function",
    "(node:4790) Warning: the package is deprecated\nundefined is not a function",
  ],
  [
    "syslog",
    "Nov 22 14:05:11 web1 sshd[4711]: Connection refused by policy",
    "Nov 22 14:09:58 web1 sshd[4803]: Connection refused by policy",
  ],
  [
    "curl -i",
    'HTTP/1.1 503 Service Unavailable\nDate: Sun, 22 Nov 2026 14:05:11 GMT\nX-Request-Id: 7Qk2\nETag: W/"1a-9f"\n\nupstream is down',
    'HTTP/1.1 503 Service Unavailable\nDate: Sun, 22 Nov 2026 14:05:19 GMT\nX-Request-Id: 9Zz8\nETag: W/"1a-b1"\n\nupstream is down',
  ],
  [
    "an HTTP client that names its port",
    "connect ECONNREFUSED 127.0.0.1:43121 while fetching the catalogue",
    "connect ECONNREFUSED 127.0.0.1:50288 while fetching the catalogue",
  ],
  [
    "an API with an envelope",
    '{"ok":true,"requestId":"r-17","tookMs":12,"customer":{"name":"Ada","plan":"pro"}}',
    '{"ok":true,"requestId":"r-18","tookMs":9,"customer":{"name":"Ada","plan":"pro"}}',
  ],
  [
    "an API that orders its members otherwise",
    '{"name":"Ada","plan":"pro","city":"London"}',
    '{"city":"London","plan":"pro","name":"Ada"}',
  ],
  [
    "an API with a trace",
    '{"error":"not found","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","timestamp":1795358505}',
    '{"error":"not found","trace_id":"00f067aa0ba902b7a3ce929d0e0e4736","timestamp":1795358509}',
  ],
  [
    "an id of eight hexadecimal digits that happens to have no letter",
    "request 19035849\nexport function total(lines: readonly Line[]) { return sum(lines); }",
    "request 76ff0693\nexport function total(lines: readonly Line[]) { return sum(lines); }",
  ],
  [
    "an API with a uuid in its sentence",
    "The service could not handle request 0d9f7a52-6a1e-4b0e-9a39-3f5f7c1d2e4b, please try later",
    "The service could not handle request b7e23ec2-9af1-4f0a-8f52-5a2c3d4e5f60, please try later",
  ],
  [
    "a limit that counts down for all",
    "rate limit exceeded, retry in 23s (attempt 2)",
    "rate limit exceeded, retry in 7s (attempt 3)",
  ],
  [
    "a client that counts repeated failures",
    '{"error": "read_file needs a path"}\n[Guard: repeated failure of this call; count=2]',
    '{"error": "read_file needs a path"}\n[Guard: repeated failure of this call; count=3]',
  ],
  [
    "docker run",
    "docker: Error response from daemon: container 3f2a1bc9d0e1 is unhealthy",
    "docker: Error response from daemon: container 77ab01ffe2d3 is unhealthy",
  ],
  [
    "docker build",
    "#5 [2/3] RUN npm ci\n#5 ERROR: exit code 1\n#5 DONE 0.3s\nsha256:1f0e9d8c7b6a5948",
    "#5 [2/3] RUN npm ci\n#5 ERROR: exit code 1\n#5 DONE 2.9s\nsha256:a1b2c3d4e5f60718",
  ],
  [
    "docker port",
    "web listens on port 49153 but answers with an empty body",
    "web listens on port 49187 but answers with an empty body",
  ],
  [
    "git commit with nothing in it",
    "[main 3f2a1bc] wip\n 1 file changed, 0 insertions(+), 0 deletions(-)",
    "[main 9c81d04] wip\n 1 file changed, 0 insertions(+), 0 deletions(-)",
  ],
  [
    "kubectl apply",
    'deployment.apps/web unchanged\nError from server (request id "c0ffee12"): timed out after 30s',
    'deployment.apps/web unchanged\nError from server (request id "badcab1e"): timed out after 31s',
  ],
  [
    "psql",
    " name | city\n------+------\n Ada  | London\n(1 row)\n\nTime: 1.234 ms",
    " name | city\n------+------\n Ada  | London\n(1 row)\n\nTime: 0.871 ms",
  ],
  [
    "mysql",
    "Empty set (0.00 sec)\nfor table orders, no warnings",
    "Empty set (0.01 sec)\nfor table orders, no warnings",
  ],
  [
    "a deadlock",
    "ERROR: deadlock detected\nDETAIL: Process 4711 waits for ShareLock on transaction id 9912",
    "ERROR: deadlock detected\nDETAIL: Process 4802 waits for ShareLock on transaction id 9937",
  ],
  [
    "a search engine",
    '{"took":12,"timed_out":false,"hits":{"total":1,"items":[{"id":"a1","title":"Routing guide"}]}}',
    '{"took":3,"timed_out":false,"hits":{"total":1,"items":[{"id":"a1","title":"Routing guide"}]}}',
  ],
  [
    "a web search in German",
    "3 Treffer (Dauer: 0,42 Sekunden): Öffnungszeiten, Anfahrt, Preise",
    "3 Treffer (Dauer: 0,38 Sekunden): Öffnungszeiten, Anfahrt, Preise",
  ],
  [
    "a failure in French",
    "Échec de la connexion (tentative 2) : délai dépassé après 30 secondes",
    "Échec de la connexion (tentative 3) : délai dépassé après 31 secondes",
  ],
  ["a failure in Spanish", "No se pudo abrir la sesión, intento 1", "No se pudo abrir la sesión, intento 2"],
  [
    "a failure in Chinese",
    "查询失败：连接超时，耗时: 3021，请稍后再试",
    "查询失败：连接超时，耗时: 2987，请稍后再试",
  ],
  [
    "a failure in Japanese",
    "接続に失敗しました（プロセスID: 4711、0.42秒）",
    "接続に失敗しました（プロセスID: 4802、0.51秒）",
  ],
  [
    "a failure in Russian",
    "Ошибка соединения, попытка 1, прошло 30 сек",
    "Ошибка соединения, попытка 2, прошло 31 сек",
  ],
  [
    "a report with its time",
    "Report generated 2026-11-22 14:05:11\nNo open orders.",
    "Report generated 2026-11-22 14:06:02\nNo open orders.",
  ],
  [
    "a job that is submitted again",
    '{"job_id":"8f3ac1d2e5b7","status":"submitted","queue":"default"}',
    '{"job_id":"11c0ffee9a04","status":"submitted","queue":"default"}',
  ],
];

const different: readonly Pair[] = [
  ["a download", "model.bin: 45% of 2 GB", "model.bin: 46% of 2 GB"],
  ["a job", '{"id":"job_1","state":"pending"}', '{"id":"job_1","state":"running"}'],
  ["a job that ends", "build 17: running (35s)", "build 17: succeeded (40s)"],
  ["a build with the time that is left", "compiling, 35s left", "compiling, 20s left"],
  ["a build with an estimate", "compiling core (ETA: 00:01:30)", "compiling core (ETA: 00:00:45)"],
  ["a page", '{"items":["Ada","Bob"],"page":1,"took":12}', '{"items":["Cleo","Dan"],"page":2,"took":12}'],
  [
    "a page of equal entries",
    '{"items":["(redacted)","(redacted)"],"next_cursor":"eyJvZmZzZXQiOjEwfQ11"}',
    '{"items":["(redacted)","(redacted)"],"next_cursor":"eyJvZmZzZXQiOjIwfQ22"}',
  ],
  ["a scan", "scanned one batch of the table, offset 1000", "scanned one batch of the table, offset 2000"],
  [
    "a log that grows",
    "14:05:11 started\n14:05:12 connected",
    "14:05:11 started\n14:05:12 connected\n14:05:13 ready",
  ],
  [
    "tests that get better",
    "Tests  3 failed | 12 passed (15)\nDuration  1.23s",
    "Tests  2 failed | 13 passed (15)\nDuration  1.23s",
  ],
  ["a test that fails elsewhere", "FAIL parse.test.ts:14 in 0.1s", "FAIL parse.test.ts:19 in 0.1s"],
  ["rows of a table", "DELETE 500 in 12 ms", "DELETE 213 in 12 ms"],
  ["a count", '{"table":"orders","count":41,"took":3}', '{"table":"orders","count":42,"took":3}'],
  ["a board", "X . .\n. O .\n. . .", "X . .\n. O .\n. X ."],
  ["a board with rows of the same kind", "X..\n...\n..O", "...\nX..\n..O"],
  ["a board in JSON", '[["X","",""],["","O",""]]', '[["","O",""],["X","",""]]'],
  ["a game", "You are in the hall. HP: 32", "You are in the hall. HP: 28"],
  ["a game in rooms", "You enter the cellar. It is dark.", "You enter the attic. It is dark."],
  [
    "a stock",
    '{"symbol":"ACME","price":101.2,"ts":1795358505}',
    '{"symbol":"ACME","price":101.4,"ts":1795358509}',
  ],
  ["a sensor", "Temperature: 21.4 °C at 14:05:11", "Temperature: 21.6 °C at 14:06:11"],
  [
    "a search with other hits",
    '{"took":12,"hits":[{"title":"Routing guide"}]}',
    '{"took":12,"hits":[{"title":"Routing in depth"}]}',
  ],
  [
    "new mail, listed by ids alone",
    '{"messages":[{"id":"18c2f0a1b2c3d4e5"},{"id":"18c2f0a1b2c3d4aa"}],"unread":"some"}',
    '{"messages":[{"id":"18c2f0a1b2c3d4ff"},{"id":"18c2f0a1b2c3d4e5"}],"unread":"some"}',
  ],
  ["a queue of ids", '{"job":"7c1e9fd2a0b4"}', '{"job":"b81e03aa55c7"}'],
  ["a queue of orders", '{"order_id":10234,"item":"tea"}', '{"order_id":10235,"item":"tea"}'],
  ["a generator of ids", "0d9f7a52-6a1e-4b0e-9a39-3f5f7c1d2e4b", "b7e23ec2-9af1-4f0a-8f52-5a2c3d4e5f60"],
  ["a clock", "Sun Nov 22 14:05:11 UTC 2026", "Sun Nov 22 14:05:19 UTC 2026"],
  ["a die", '{"value":3}', '{"value":5}'],
  ["a walk through the calendar", "2026-11-23: free all day", "2026-11-24: free all day"],
  ["training", "iteration 3/10 done, loss is falling", "iteration 4/10 done, loss is falling"],
  ["requests of a batch", "request 17 of 200 sent", "request 18 of 200 sent"],
  ["a rollout", "2 of 3 replicas available", "3 of 3 replicas available"],
  ["git log", "3f2a1bc fix the parser", "9c81d04 add a test"],
  ["a head that moves", "3f2a1bc9d0e1f2a3b4c5", "9c81d04aa1b2c3d4e5f6"],
  ["a balance", "Balance of account 17: 240.10 EUR", "Balance of account 17: 180.10 EUR"],
  ["a video", "playing, position 00:01:23", "playing, position 00:02:10"],
  ["an exit code", "Process exited with code 0", "Process exited with code 1"],
  ["a file that is edited", "version = 3\nname = shop", "version = 4\nname = shop"],
  ["a score", "score 3:14, your turn", "score 3:15, your turn"],
  ["progress in Chinese", "进度 45%，正在下载", "进度 60%，正在下载"],
  ["progress in German", "Noch 3 Dateien zu kopieren", "Noch 2 Dateien zu kopieren"],
  ["a queue in Japanese", "待ち人数: 5人です", "待ち人数: 4人です"],
];

describe("results that say the same", () => {
  test.each(same)("%s", (_tool, first, second) => {
    expect(keyOfText(second, false)).toBe(keyOfText(first, false));
  });
});

describe("results that say something else", () => {
  test.each(different)("%s", (_tool, first, second) => {
    expect(keyOfText(second, false)).not.toBe(keyOfText(first, false));
    expect(keyOfText(second, true)).not.toBe(keyOfText(first, true));
  });
});

describe("a listing says the same in any order", () => {
  const listings: readonly Pair[] = [
    ["find", "src/app.ts\nsrc/index.ts\nsrc/routes.ts", "src/routes.ts\nsrc/app.ts\nsrc/index.ts"],
    [
      "rg",
      "app.ts:3:route\nindex.ts:9:route\nroutes.ts:1:route",
      "routes.ts:1:route\napp.ts:3:route\nindex.ts:9:route",
    ],
    ["an API", '{"names":["Ada","Bob","Cleo"]}', '{"names":["Cleo","Ada","Bob"]}'],
  ];
  test.each(listings)("%s", (_tool, first, second) => {
    expect(keyOfText(second, true)).toBe(keyOfText(first, true));
    expect(keyOfText(second, false)).not.toBe(keyOfText(first, false));
  });
});

test("long results take time in proportion to their length", () => {
  const line = (index: number): string =>
    `14:05:11 worker[${index}] request ${index} took ${index} ms: order saved`;
  const text = (lines: number): string => Array.from({ length: lines }, (_, index) => line(index)).join("\n");
  const cost = (lines: number): number => {
    const own = text(lines);
    const start = performance.now();
    keyOfText(own, true);
    return performance.now() - start;
  };
  cost(2000);
  expect(cost(40_000)).toBeLessThan(60 * Math.max(1, cost(4000)));
});

test("lists that nest deeper than the stack are compared as texts", () => {
  const nested = (core: string): string => `${"[".repeat(50_000)}${core}${"]".repeat(50_000)}`;
  expect(keyOfText(nested("1"), false)).toBe(keyOfText(` ${nested("1")}`, false));
  expect(keyOfText(nested("1"), false)).not.toBe(keyOfText(nested("2"), false));
});
