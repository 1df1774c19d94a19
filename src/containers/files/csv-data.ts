import { level } from "../../traffic/certainty.ts";
import { wholeFile } from "../../traffic/container.ts";
import { namesIn, separatorOf, TAB } from "./csv-names.ts";

/**
 * What the container of tables states without its reader: exports of databases, gateways and tracing tools,
 * with one record per row and JSON in its cells.
 */
export const csvData = {
  name: "csv",
  summary:
    "tables with JSON cells, separated by commas, semicolons or tabs: exports of databases and gateways; lines of a program's log, as log services export them",
  signs:
    "a first line of names, and rows whose cells begin with a brace or are events; or columns for time and message",
  maxSize: wholeFile,
  recognize(head: Buffer): number {
    const feed = head.indexOf(10);
    const separator = feed < 0 ? undefined : separatorOf(head);
    if (separator === undefined) return 0;
    const mark = String.fromCharCode(separator);
    // JSON in a quoted cell has its quotes doubled.
    const rest = head.toString("latin1", feed, Math.min(head.length, feed + (32 << 10)));
    const starts = [`${mark}"{""`, `${mark}"[{""`, `\n"{""`, ...(separator === TAB ? [`\t{"`, `\t[{"`] : [])];
    const streams = [`${mark}"data: {""`, `${mark}"event: `, `${mark}"HTTP/1.1 `];
    if ([...starts, ...streams].some((start) => rest.includes(start))) return level.veryStrong;
    if (encodedCell.test(rest)) return level.possible;
    // JSON behind words, or a line of it in each row.
    if (rest.includes('{""') || rest.includes('"":') || namesTimedLines(head, separator))
      return level.possible;
    return 0;
  },
} as const;

/** A cell that begins as a body in percent-encoding or in base64. */
const encodedCell = /[\t,;\n]"?(?:%7B%|%5B%7B|eyJ|eyA|ew[ok]|W3s|Wwo|ZGF0YT|ZXZlbn|H4sI|KLUv)[\w+/%.=-]{60}/i;

/**
 * Log services export what a program printed as a table: a row for each line, with its time. These are their
 * names for the column of the lines.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html
 * @see https://docs.datadoghq.com/logs/explorer/export/
 * @see https://cloud.google.com/logging/docs/view/logs-explorer-interface#download_logs
 * @see https://docs.splunk.com/Documentation/Splunk/latest/Knowledge/Usedefaultfields
 */
export const lineNames =
  /^@?(?:log|message|msg|line|_?raw|text|content|body|event|textPayload|jsonPayload\.(?:message|msg)|log[ _]?(?:message|line|entry|body))$/i;

/** Their names for the column of the times. */
export const timeNames =
  /^[@_]?(?:date|time|ts|tsNs|(?:event)?timestamp|time[ _]?generated|receive[ _]?timestamp|timestampInMs|timestamp_ms|created_at)(?: ?[[(]?UTC[\])]?)?$/i;

/** Whether a first line names a column of lines and one of times. */
function namesTimedLines(head: Buffer, separator: number): boolean {
  const keys = namesIn(head, separator);
  return keys.some((key) => timeNames.test(key)) && keys.some((key) => lineNames.test(key));
}
