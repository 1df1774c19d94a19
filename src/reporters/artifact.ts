import path from "node:path";
import { pathToFileURL } from "node:url";
import { masked } from "./visible.ts";

/** The folders that paths in a report are told by; absolute. */
export interface Folders {
  /** Relative paths of the report start here. */
  readonly cwd: string;
  /** What the reader knows: the checkout. Paths below it are told from there. */
  readonly root: string;
}

/** The path that stands for standard input. */
export const standardInput = "-";

/**
 * A path as machines of the same checkout know it: from its root, with slashes. A file that lies elsewhere is named from the
 * root of the disk; without folders, a path stays as it was typed.
 */
export function pathFromRoot(typed: string, folders: Folders | undefined): string {
  if (typed === standardInput) return typed;
  if (!folders) return slashed(path.normalize(typed));
  const full = path.resolve(folders.cwd, typed);
  const below = path.relative(folders.root, full);
  return slashed(below === "" || isOutside(below) ? full : below);
}

/** A path as a URI reference, credentials masked: relative to the checkout, or `file:` when the file lies elsewhere. */
export function uriOf(typed: string, folders: Folders | undefined): string {
  const shown = masked(pathFromRoot(typed, folders));
  if (path.isAbsolute(shown)) return pathToFileURL(shown).href;
  return shown.split("/").map(percentEncoded).join("/");
}

/** Whether a URI reference is one of {@link uriOf}'s that start at the checkout. */
export function isFromRoot(uri: string): boolean {
  return uri !== standardInput && !/^(?:file:|\.\.(?:\/|$))/.test(uri);
}

function isOutside(relative: string): boolean {
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

function slashed(native: string): string {
  return path.sep === "/" ? native : native.replaceAll(path.sep, "/");
}

/** A segment of a path; half a surrogate pair has no percent-encoding. */
function percentEncoded(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, "\ufffd"));
}
