import { parseJson } from "../../reading/parse.ts";
import { plainSpan, type Span } from "../../reading/place.ts";
import { scanJson } from "../../reading/scan.ts";
import type { ByteSource } from "../../reading/source.ts";
import type { Patch } from "../../reading/view.ts";

/**
 * Records of a session name the record that they follow. When one is taken out, those that follow it have to
 * follow the one before it, or the agent finds only half of its session again.
 */

/** What records name themselves by, and where they name the one that they follow. */
export const linkNames = [
  ["uuid", "parentUuid"],
  ["id", "parentId"],
  ["id", "parent_id"],
] as const;

/** Where records name one before them; the last two do so for other reasons than to follow it. */
const linkKeys = ["parentUuid", "parentId", "parent_id", "logicalParentUuid", "leafUuid"] as const;
const following = new Set<string>(linkKeys.slice(0, 3));

/** A record that is taken from its place. */
export interface Removed {
  readonly span: Span;
  /** It is elsewhere now, behind the record that it followed: records that followed it still do. */
  readonly isLinked: boolean;
}

/** A new record between one and those that follow it. */
export interface RecordLink {
  /** The name of the record before it. */
  readonly after: string;
  readonly name: string;
  /** The reply that the record before it is a part of: other parts of it go on following that. */
  readonly reply: string | undefined;
}

/**
 * Patches of the names by which records follow others. Records behind one that is taken out follow the one
 * before it; records behind one that has a new follower follow the new one. Other parts of the same reply,
 * and results, keep what they follow.
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
    // The record before may be taken out, too.
    for (let steps = 0; before.has(own) && steps < before.size; steps++) own = before.get(own) as string;
    const link = following.has(key) ? newest.get(own) : undefined;
    if (link && !isOfRound(bytes, start, link)) own = JSON.stringify(link.name);
    if (own === text || lines.some((line) => line.start <= start && start < line.end)) continue;
    patches.push({ start, end, bytes: Buffer.from(own) });
  }
  return patches;
}

/** A record's name and that of the one before it, as JSON text. */
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

/** The values of links, in one walk through the file: a long session has as many as records. */
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

/** The record around a place is a part of the same reply, or a result. */
function isOfRound(bytes: Buffer, at: number, { reply }: RecordLink): boolean {
  if (reply === undefined) return false;
  const start = bytes.lastIndexOf(10, at) + 1;
  const end = bytes.indexOf(10, at);
  const line = bytes.toString("utf8", start, end < 0 ? bytes.length : end);
  return line.includes(JSON.stringify(reply)) || line.includes('"tool_result"');
}
