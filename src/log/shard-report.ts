/** How the report of a shard begins, whatever wrote its spaces. */
const beginning = /^\uFEFF?\s*\{\s*"type"\s*:\s*"toollint-blob"/;

/** Whether text begins as the report of a shard, which quotes logs but is none. */
export function looksLikeBlob(head: string): boolean {
  return beginning.test(head);
}
