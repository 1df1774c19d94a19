import validate from "schema:blob";
import { looksLikeBlob } from "../log/shard-report.ts";
import {
  type Blob,
  type BlobEnd,
  type BlobHead,
  type BlobRun,
  type BlobTrouble,
  blobVersion,
} from "./blob.ts";

type BlobRecord = BlobHead | BlobTrouble | BlobRun | BlobEnd;

/** A blob, or the sentence, which goes on after the name of the file, that says why it is none. */
export function readBlob(text: string): Blob | string {
  if (!looksLikeBlob(text)) return "is not the report of a shard: `toollint check --format blob` writes one";
  const runs: BlobRun[] = [];
  const troubles: BlobTrouble[] = [];
  let head: BlobHead | undefined;
  let end: BlobEnd | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const record = recordIn(line);
    if (index === 0 && isOther(record))
      return `has the schema ${record.schemaVersion}, and this toollint reads ${blobVersion}: use the toollint that wrote it`;
    if (!record || end || !validate(record))
      return record || end ? `is damaged in line ${index + 1}: check that shard again` : cut;
    const known = record as BlobRecord;
    if (known.type === "toollint-blob") head = known;
    else if (known.type === "trouble") troubles.push(known);
    else if (known.type === "run") runs.push(known);
    else end = known;
  }
  if (!head || !end || end.runs !== runs.length || end.troubles !== troubles.length) return cut;
  return { head, troubles, runs };
}

const cut = "is cut: its end is missing, so check that shard again";

function recordIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a head is of another major version. */
function isOther(head: object | undefined): head is { readonly schemaVersion: string } {
  const version = head && "schemaVersion" in head ? head.schemaVersion : undefined;
  return typeof version === "string" && version.split(".")[0] !== blobVersion.split(".")[0];
}
