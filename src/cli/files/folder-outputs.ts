import path from "node:path";

/** Where logs go that are written to a folder: below it, they stand to each other as they did. */
export function folderOutputs(
  files: readonly string[],
  folder: string,
  cwd: string,
): ReadonlyMap<string, string> {
  const base = commonFolder(files.map((file) => path.resolve(cwd, file)));
  return new Map(
    files.map((file) => [file, path.join(folder, path.relative(base, path.resolve(cwd, file)))]),
  );
}

/** The deepest folder that contains all files. */
function commonFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths.map((file) => path.dirname(file));
  let base = first;
  while (others.some((folder) => path.relative(base, folder).startsWith(".."))) base = path.dirname(base);
  return base;
}
