import { archive, flows } from "./binaries.ts";
import { burp } from "./burp.ts";
import { cassette } from "./cassette.ts";
import type { Container, LazyContainer } from "./container.ts";
import { csv } from "./csv.ts";
import { sse } from "./events.ts";
import { httprr } from "./httprr.ts";
import { har, json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { ndjson } from "./ndjson.ts";
import { nock } from "./nock.ts";
import { recording } from "./recording.ts";
import { sessions } from "./sessions.ts";
import { text } from "./text.ts";

/** Reading YAML takes a library, which is loaded when a cassette is there to be read. */
const vcr: LazyContainer = { ...cassette, load: async () => (await import("./vcr.ts")).vcr };

const zip: LazyContainer = { ...archive, load: async () => (await import("./zip.ts")).zip };
const mitmproxy: LazyContainer = { ...flows, load: async () => (await import("./mitmproxy.ts")).mitmproxy };

/** All containers; the first of equal certainty wins. */
export const containers: readonly (Container | LazyContainer)[] = [
  har,
  nock,
  vcr,
  httprr,
  burp,
  mitmproxy,
  zip,
  recording,
  sse,
  csv,
  jsonl,
  ndjson,
  json,
  text,
  ...sessions,
];
