import type { Container } from "./container.ts";
import { sse } from "./events.ts";
import { har, json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { ndjson } from "./ndjson.ts";
import { text } from "./text.ts";

/** All containers; the first of equal certainty wins. */
export const containers: readonly Container[] = [har, sse, jsonl, ndjson, json, text];
