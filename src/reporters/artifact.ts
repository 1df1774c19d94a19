import path from "node:path";
import { pathToFileURL } from "node:url";
import { masked } from "./visible.ts";

/** The folders that paths in a report are relative to; absolute. */
export interface Folders {
  /** Relative paths of the report start here. */
  readonly cwd: string;
  /** The checkout, which the reader knows. Paths below it are relative to it. */
  readonly root: string;
}

/** The path that means standard input. */
export const standardInput = "-";

/** A path from the checkout's root, with slashes; absolute if outside it, and as typed without folders. */
export function pathFromRoot(typed: string, folders: Folders | undefined): string {
  if (typed === standardInput) return typed;
  if (!folders) return slashed(path.normalize(typed));
  const full = path.resolve(folders.cwd, typed);
  const below = path.relative(folders.root, full);
  return slashed(below === "" || isOutside(below) ? full : below);
}

/** A masked URI reference: relative to the checkout, or `file:` if the file is outside it. */
export function uriOf(typed: string, folders: Folders | undefined): string {
  const shown = masked(pathFromRoot(typed, folders));
  if (path.isAbsolute(shown)) return pathToFileURL(shown).href;
  return shown.split("/").map(percentEncoded).join("/");
}

/** Whether a URI reference of {@link uriOf} is relative to the checkout. */
export function isFromRoot(uri: string): boolean {
  return uri !== standardInput && !/^(?:file:|\.\.(?:\/|$))/.test(uri);
}

function isOutside(relative: string): boolean {
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** A path with slashes between its segments, on any system. */
export function slashed(native: string): string {
  return path.sep === "/" ? native : native.replaceAll(path.sep, "/");
}

/** Encodes a path segment; half a surrogate pair has no percent-encoding. */
function percentEncoded(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, "\ufffd"));
}
