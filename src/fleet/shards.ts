import { groupBy } from "../reading/group-by.ts";
import type { Blob } from "./blob.ts";

/** A blob with the path of its file. */
export interface ShardBlob extends Blob {
  readonly path: string;
}

/** Whether blobs are the shards of one check. */
export interface ShardSet {
  /** In order. */
  readonly blobs: readonly ShardBlob[];
  /** The numbers of the shards that are not there. */
  readonly missing: readonly number[];
  /** Why they cannot be merged, a sentence each; empty if they can. */
  readonly refusals: readonly string[];
}

/** Puts the blobs of shards in order. At least one is given. */
export function shardSet(given: readonly ShardBlob[]): ShardSet {
  const [first] = given;
  if (!first) return { blobs: [], missing: [], refusals: [] };
  const blobs = [...given].sort((a, b) => a.head.shard.number - b.head.shard.number);
  const refusals = new Set(given.flatMap((blob) => differences(first, blob)).slice(0, 1));
  if (refusals.size > 0) return { blobs, missing: [], refusals: [...refusals] };
  for (const [index, blob] of blobs.entries()) {
    const before = blobs[index - 1];
    if (before && before.head.shard.number === blob.head.shard.number)
      refusals.add(`shard ${shardName(blob)} is there twice: ${before.path} and ${blob.path}; leave one out`);
  }
  const { count } = first.head.shard;
  const there = new Set(blobs.map(({ head }) => head.shard.number));
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => !there.has(number),
  );
  for (const refusal of splitSessions(blobs)) refusals.add(refusal);
  return { blobs, missing, refusals: [...refusals] };
}

/**
 * A sub-agent's file belongs to the run of its session, wherever both lie, unless several files claim to be
 * that session. What the shards see of it has to agree with what one check would see.
 */
function splitSessions(blobs: readonly ShardBlob[]): string[] {
  if (blobs.some(({ head }) => head.separate)) return [];
  const runs = blobs.flatMap((blob) => blob.runs.map(({ report: { sessions } }) => ({ blob, sessions })));
  const mains = groupBy(
    runs.flatMap(({ blob, sessions }) =>
      sessions.filter(({ isSubAgent }) => !isSubAgent).map((part) => ({ blob, ...part })),
    ),
    ({ session }) => session,
  );
  return runs.flatMap(({ blob, sessions }) =>
    sessions.flatMap(({ path, session, isSubAgent }) => {
      const claims = mains.get(session) ?? [];
      const other = claims.find((claim) => claim.blob !== blob);
      const isJoined = sessions.some((part) => part.session === session && !part.isSubAgent);
      if (!isSubAgent || !other || isJoined === (claims.length === 1)) return [];
      return `${path} and ${other.path} are of one session, and in different shards (${shardName(blob)} and ${shardName(other.blob)}): put them into one folder, or check all shards with \`--separate\``;
    }),
  );
}

/** The first reason why two blobs are of different checks. */
function differences(a: ShardBlob, b: ShardBlob): string[] {
  const both = `${a.path} and ${b.path}`;
  if (a.head.tool.version !== b.head.tool.version)
    return [
      `${both} were written by toollint ${a.head.tool.version} and ${b.head.tool.version}: check all shards with one version`,
    ];
  if (a.head.shard.count !== b.head.shard.count)
    return [`${both} are of different checks: shard ${shardName(a)} and shard ${shardName(b)}`];
  if (a.head.list.hash !== b.head.list.hash)
    return [
      `${both} are shards of different lists of files: ${listOf(a)} and ${listOf(b)}; paths and sizes have to be the same for all shards`,
    ];
  if (a.head.settings !== b.head.settings)
    return [`${both} were checked with different options or config files: use the same for all shards`];
  return [];
}

/** `2/8` */
export function shardName({ head: { shard } }: Blob): string {
  return `${shard.number}/${shard.count}`;
}

function listOf({ head: { list } }: Blob): string {
  return `${list.files} files of ${list.bytes} bytes`;
}
