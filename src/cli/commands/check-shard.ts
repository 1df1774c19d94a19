import { closeSync, openSync } from "node:fs";
import { counted } from "../../reporters/numbers.ts";
import { type Found, foundBy, type Inputs, openFound, type Threading } from "../files/inputs.ts";
import { withOpened } from "../files/logs.ts";
import { type Shard, type Share, shareOf } from "../files/shards.ts";
import { note } from "../terminal/complaint.ts";
import type { Io } from "../terminal/io.ts";
import { codeOf, systemTrouble } from "../trouble.ts";
import type { Settings } from "./check-settings.ts";

/** Runs `work` on the files of one shard, then closes them. Says so where a shard has no files. */
export async function withShare(
  paths: readonly string[],
  shard: Shard,
  { check: { separate = false }, isQuiet }: Settings,
  io: Io,
  work: (inputs: Inputs, share: Share) => Promise<number>,
  threading: Threading,
): Promise<number> {
  advertise(io);
  const found: Found[] = [];
  for await (const each of foundBy(paths, io.cwd)) found.push(each);
  const share = shareOf(found, shard, io.cwd, separate);
  if (!isQuiet && share.files === 0) await note(io, emptyNote(shard, share, separate));
  return withOpened(openFound(share.found, io, threading), (inputs) => work(inputs, share));
}

function emptyNote({ number, count }: Shard, { list, filled }: Share, separate: boolean): string {
  const none = `shard ${number}/${count} has no files`;
  if (list.files < count || separate)
    return `${none}: there are ${list.files === 0 ? "none" : `only ${list.files}`}`;
  return `${none}: those of a folder stay together, as they may continue each other, so ${counted(filled, "shard")} ${filled === 1 ? "has" : "have"} all ${list.files}\nIf each file is a log of its own, add \`--separate\`.`;
}

/**
 * Bazel runs shards only where the test says that it knows of them, by touching a file.
 *
 * @see https://bazel.build/reference/test-encyclopedia#test-sharding
 */
function advertise({ env }: Io): void {
  const file = env["TEST_SHARD_STATUS_FILE"];
  if (!file || !env["TEST_SHARD_INDEX"]) return;
  try {
    closeSync(openSync(file, "a"));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw systemTrouble(error, `cannot write ${file}, which TEST_SHARD_STATUS_FILE names`);
  }
}
