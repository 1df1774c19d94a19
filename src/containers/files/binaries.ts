import { wholeFile } from "../../traffic/container.ts";

/** Archives and dumps are recognised by their first bytes; what reads them is loaded when one is there. */

export const entryMark = Buffer.from("PK\x03\x04", "latin1");

/** What can be known of archives without unpacking one. */
export const archive = {
  name: "zip",
  summary:
    "zip archives of JSON and JSON lines, among them the `.eval` logs of Inspect and the `.saz` archives of Fiddler",
  signs: "PK at the beginning",
  maxSize: wholeFile,
  recognize: (head: Buffer): number => (head.subarray(0, 4).equals(entryMark) ? 0.97 : 0),
};

/** What can be known of flow dumps without reading one. */
export const flows = {
  name: "mitmproxy",
  summary: "flows as mitmproxy and mitmdump save them (`-w`, `mitmdump -w flows.mitm`)",
  signs: "tnetstrings: a length, a colon and a flow",
  maxSize: wholeFile,
  recognize: (head: Buffer): number =>
    /^\d{2,9}:\d{1,2}:(?:type|version|websocket|response|request|backup|client_conn|id|error)[,;]/.test(
      head.toString("latin1", 0, 64),
    )
      ? 0.97
      : 0,
};
