import { posix } from "node:path";
import { containers } from "../containers/index.ts";
import { bodyFolder, withoutSides } from "./sidecar-replies.ts";

/**
 * Groups files that may belong to one run, by their paths alone: nothing is opened. A run never reaches over
 * two groups, but a group may hold many runs. Kin are the files
 * - of one folder, which may continue each other,
 * - of a folder named as a file beside it, where sessions keep the files of their sub-agents,
 * - of folders that differ in the word for request or reply, or keep bodies for each other,
 * - and the parts of one log that are read together wherever they lie.
 *
 * @param paths relative or absolute, with slashes
 * @returns for each path the name of its group
 */
export function kinOf(paths: readonly string[]): string[] {
  const normal = paths.map((path) => posix.normalize(path));
  const stems = new Set(normal.map((path) => path.replace(/\.[^./]+$/, "")));
  const folders = new Folders();
  for (const path of normal) {
    const folder = posix.dirname(path);
    folders.join(folder, `words of ${withoutSides(folder)}`);
    for (const above of withParents(folder)) {
      if (stems.has(above)) folders.join(folder, posix.dirname(above));
      if (posix.basename(above) === bodyFolder) folders.join(folder, `bodies of ${posix.dirname(above)}`);
    }
    if (partNames.some((names) => names.test(path))) folders.join(folder, "parts");
  }
  // A folder of bodies belongs to the folder around it and to those beside it.
  for (const path of normal) {
    const folder = posix.dirname(path);
    for (const around of [folder, posix.dirname(folder)])
      if (folders.has(`bodies of ${around}`)) folders.join(folder, `bodies of ${around}`);
  }
  return normal.map((path) => folders.rootOf(posix.dirname(path)));
}

const partNames = containers.flatMap(({ partNames: names }) => names ?? []);

/** A folder and those that it lies in, without the outermost. */
function* withParents(folder: string): Generator<string> {
  let at = folder;
  while (at !== posix.dirname(at)) {
    yield at;
    at = posix.dirname(at);
  }
}

/** Disjoint sets of folders. */
class Folders {
  readonly #parents = new Map<string, string>();

  has(folder: string): boolean {
    return this.#parents.has(folder);
  }

  rootOf(folder: string): string {
    let root = folder;
    for (let up = this.#parents.get(root); up !== undefined && up !== root; up = this.#parents.get(root))
      root = up;
    this.#parents.set(folder, root);
    return root;
  }

  join(one: string, other: string): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    this.#parents.set(b, a);
  }
}
