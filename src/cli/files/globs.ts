import { glob } from "tinyglobby";

/** The files that a glob matches, sorted; skips hidden files, `.git` and `node_modules`. */
export async function filesMatching(pattern: string, cwd: string): Promise<string[]> {
  const found = await glob(pattern.replaceAll("\\", process.platform === "win32" ? "/" : "\\"), {
    cwd,
    onlyFiles: true,
    expandDirectories: false,
    ignore: ["**/node_modules/**", "**/.git/**"],
  });
  return found.sort();
}
