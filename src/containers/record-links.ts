import { parseJson } from "../reading/parse.ts";
import { plainSpan, type Span } from "../reading/place.ts";
import { scanJson } from "../reading/scan.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Patch } from "../reading/view.ts";

/**
 * Records of a session name the record that they follow. When one is taken out, those that follow it have to follow the one before it, or
 * the agent finds only half of its session again.
 */

/** What records name themselves by, and where they name the one that they follow. */
export const linkNames = [
  ["uuid", "parentUuid"],
  ["id", "parentId"],
  ["id", "parent_id"],
] as const;

const links = /"(?:parentUuid|logicalParentUuid|leafUuid|parentId|parent_id)"\s*:\s*$/;

/** Patches that make whoever follows a record that is taken out follow the one before it. */
export function linkPatches(source: ByteSource, gone: readonly Span[]): Patch[] {
  /** By the name of a record that goes, the JSON text of the one before it. */
  const before = new Map<string, string>();
  const lines: { readonly start: number; readonly end: number }[] = [];
  for (const span of gone) {
    const { view, start, end } = plainSpan(span);
    const bytes = view.read(start, end);
    const members = scanJson(bytes, 0, bytes.length)?.members ?? [];
    const text = (key: string): string | undefined => {
      const node = members.find((member) => member.key === key)?.node;
      return node && bytes.toString("utf8", node.start, node.end);
    };
    lines.push(view.origin(start, end));
    for (const [own, parent] of linkNames) {
      const [name, previous] = [text(own), text(parent)];
      if (name !== undefined && previous !== undefined && typeof parseJson(name) === "string")
        before.set(name, previous);
    }
  }
  if (before.size === 0) return [];
  const bytes = source.read(0, source.size);
  return [...before.keys()].flatMap((name) => {
    let own = before.get(name) as string;
    // The record before may go, too.
    for (let steps = 0; before.has(own) && steps < before.size; steps++) own = before.get(own) as string;
    const patches: Patch[] = [];
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) {
      const end = at + name.length;
      const isLink = links.test(bytes.toString("latin1", Math.max(0, at - 64), at));
      const isGone = lines.some((line) => line.start <= at && at < line.end);
      if (isLink && !isGone) patches.push({ start: at, end, bytes: Buffer.from(own) });
    }
    return patches;
  });
}

/** A new record between one and those that follow it. */
export interface Link {
  /** The name of the record before it. */
  readonly after: string;
  readonly name: string;
  /** The reply that the record before it is a part of: other parts of it go on following that. */
  readonly reply: string | undefined;
}

/** Patches that make whoever followed a record follow the new ones behind it. Other parts of its reply, and results, stay where they are. */
export function newLinkPatches(source: ByteSource, links: readonly Link[], gone: readonly Span[]): Patch[] {
  if (links.length === 0) return [];
  const lines = gone.map((span) => {
    const { view, start, end } = plainSpan(span);
    return view.origin(start, end);
  });
  const bytes = source.read(0, source.size);
  const last = new Map(links.map((link) => [link.after, link]));
  return [...last.values()].flatMap(({ after, name, reply }) => {
    const own = JSON.stringify(after);
    const patches: Patch[] = [];
    for (let at = bytes.indexOf(own); at >= 0; at = bytes.indexOf(own, at + own.length)) {
      if (!parents.test(bytes.toString("latin1", Math.max(0, at - 64), at))) continue;
      if (lines.some((line) => line.start <= at && at < line.end)) continue;
      const start = bytes.lastIndexOf(10, at) + 1;
      const end = bytes.indexOf(10, at);
      const line = bytes.toString("utf8", start, end < 0 ? bytes.length : end);
      const isOfReply = reply !== undefined && line.includes(JSON.stringify(reply));
      const isResult = reply !== undefined && line.includes('"tool_result"');
      if (!isOfReply && !isResult)
        patches.push({ start: at, end: at + own.length, bytes: Buffer.from(JSON.stringify(name)) });
    }
    return patches;
  });
}

const parents = /"(?:parentUuid|parentId|parent_id)"\s*:\s*$/;
