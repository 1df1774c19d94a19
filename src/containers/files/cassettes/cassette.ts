import { level } from "../../../traffic/certainty.ts";
import { wholeFile } from "../../../traffic/container.ts";

/** What the cassette container states without loading the YAML library. */
export const cassette = {
  name: "vcr",
  summary: "YAML cassettes of vcr.py, VCR for Ruby and R, go-vcr, httpmock",
  signs: "interactions or http_interactions at the beginning of a line, in YAML",
  maxSize: wholeFile,
  recognize(head: Buffer): number {
    const text = head.toString("utf8");
    if (/^\uFEFF?\s*[{[]/.test(text)) return 0;
    if (/^(?:http_)?interactions:/m.test(text)) return level.strong;
    if (/^when:/m.test(text) && /^ +(?:path|method|uri|url):/m.test(text)) return level.strong;
    if (/^(?:requests|responses):\s*$/m.test(text) && /^ *- body:/m.test(text)) return level.strong;
    if (/^- (?:request|when):\s*$/m.test(text)) return level.likely;
    return /^(?:messages|contents|input):\s*\n\s*- (?:role|type|parts|content):/m.test(text)
      ? level.possible
      : 0;
  },
};
