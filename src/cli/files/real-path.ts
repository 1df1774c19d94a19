import { readlinkSync, realpathSync } from "node:fs";
import path from "node:path";

/** As many symbolic links as systems follow in one path. */
const maxLinks = 40;

/** Where a path leads, without symbolic links; those that lead to nothing yet are followed, too. */
export function realPath(full: string, links = maxLinks): string {
  try {
    return realpathSync(full);
  } catch {
    const folder = path.dirname(full);
    if (folder === full) return full;
    const real = path.join(realPath(folder, links), path.basename(full));
    const target = links > 0 ? linkTarget(real) : undefined;
    return target === undefined ? real : realPath(path.resolve(path.dirname(real), target), links - 1);
  }
}

function linkTarget(full: string): string | undefined {
  try {
    return readlinkSync(full);
  } catch {
    return undefined;
  }
}
