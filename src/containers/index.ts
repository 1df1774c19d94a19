import type { Container } from "./container.ts";
import { sse } from "./events.ts";
import { httprr } from "./httprr.ts";
import { har, json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { ndjson } from "./ndjson.ts";
import { nock } from "./nock.ts";
import { text } from "./text.ts";
import { vcr } from "./vcr.ts";

/** All containers; the first of equal certainty wins. */
export const containers: readonly Container[] = [har, nock, vcr, httprr, sse, jsonl, ndjson, json, text];
