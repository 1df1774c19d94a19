import { parseJson } from "../../reading/parse.ts";
import { plainSpan, type Span } from "../../reading/place.ts";
import { scanJson } from "../../reading/scan.ts";
import type { ByteSource } from "../../reading/source.ts";
import type { Patch } from "../../reading/view.ts";

/**
 * Records of a session refer to the record that they follow. When one is removed, its followers must follow
 * its predecessor, or the agent loads only half of the session.
 */

/** Members with a record's own id and its predecessor's id. */
export const linkNames = [
  ["uuid", "parentUuid"],
  ["id", "parentId"],
  ["id", "parent_id"],
] as const;

/** Members that refer to an earlier record; the last two do not mean the predecessor. */
const linkKeys = ["parentUuid", "parentId", "parent_id", "logicalParentUuid", "leafUuid"] as const;
const following = new Set<string>(linkKeys.slice(0, 3));

/** A record removed from its place. */
export interface Removed {
  readonly span: Span;
  /** It moved, but its predecessor is the same, so its followers keep their links. */
  readonly isLinked: boolean;
}

/** A new record between a record and its followers. */
export interface RecordLink {
  /** The id of the record before it. */
  readonly after: string;
  readonly name: string;
  /** The id of the reply that its predecessor is a part of; other parts keep following that one. */
  readonly reply: string | undefined;
}

/**
 * Patches that relink records. Followers of a removed record follow its predecessor; followers of a record
 * with a new successor follow the new one. Results and other parts of the same reply keep their links.
 */
export function linkPatches(
  source: ByteSource,
  gone: readonly Removed[],
  added: readonly RecordLink[],
): Patch[] {
  const before = new Map(gone.filter(({ isLinked }) => !isLinked).flatMap(({ span }) => namesOf(span)));
  const newest = new Map(added.map((link) => [JSON.stringify(link.after), link]));
  if (before.size + newest.size === 0) return [];
  const lines = gone.map(({ span }) => {
    const { view, start, end } = plainSpan(span);
    return view.origin(start, end);
  });
  const bytes = source.read(0, source.size);
  const patches: Patch[] = [];
  for (const { key, start, end } of linksIn(bytes)) {
    const text = bytes.toString("utf8", start, end);
    let own = text;
    // The predecessor may be removed, too.
    for (let steps = 0; before.has(own) && steps < before.size; steps++) own = before.get(own) as string;
    const link = following.has(key) ? newest.get(own) : undefined;
    if (link && !isOfRound(bytes, start, link)) own = JSON.stringify(link.name);
    if (own === text || lines.some((line) => line.start <= start && start < line.end)) continue;
    patches.push({ start, end, bytes: Buffer.from(own) });
  }
  return patches;
}

/** The ids of a record and its predecessor, as JSON text. */
function namesOf(span: Span): [string, string][] {
  const { view, start, end } = plainSpan(span);
  const bytes = view.read(start, end);
  const members = scanJson(bytes, 0, bytes.length)?.members ?? [];
  const text = (key: string): string | undefined => {
    const node = members.find((member) => member.key === key)?.node;
    return node && bytes.toString("utf8", node.start, node.end);
  };
  return linkNames.flatMap(([own, parent]): [string, string][] => {
    const [name, previous] = [text(own), text(parent)];
    return name !== undefined && previous !== undefined && typeof parseJson(name) === "string"
      ? [[name, previous]]
      : [];
  });
}

/** The values of link members, found in one pass per key: a long session has one per record. */
function* linksIn(bytes: Buffer): Generator<{ key: string; start: number; end: number }> {
  for (const key of linkKeys) {
    const mark = Buffer.from(`"${key}"`);
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) {
      const head = bytes.toString("latin1", at + mark.length, at + mark.length + 256);
      const [all, name] = /^\s*:\s*("[^"\\]*")/.exec(head) ?? [];
      if (all === undefined || name === undefined) continue;
      const end = at + mark.length + all.length;
      yield { key, start: end - name.length, end };
    }
  }
}

/** Whether the record around an offset is a part of the same reply, or a result. */
function isOfRound(bytes: Buffer, at: number, { reply }: RecordLink): boolean {
  if (reply === undefined) return false;
  const start = bytes.lastIndexOf(10, at) + 1;
  const end = bytes.indexOf(10, at);
  const line = bytes.toString("utf8", start, end < 0 ? bytes.length : end);
  return line.includes(JSON.stringify(reply)) || line.includes('"tool_result"');
}
