import type { FileReport } from "../findings/report.ts";
import type { PageFile } from "./data.ts";
import { shownLine } from "./items.ts";

/** The files of a page. */
export class FileTable {
  readonly files: PageFile[] = [];
  readonly #indexes = new Map<string, number>();

  constructor(files: readonly Pick<FileReport, "path" | "container" | "protocols" | "exchanges">[] = []) {
    for (const { path, container, protocols, exchanges } of files) {
      if (this.#indexes.has(path)) continue;
      this.#indexes.set(path, this.files.length);
      this.files.push({ path: shownLine(path), container, protocols, exchanges });
    }
  }

  /** The index of a file, which is added if it is not there. */
  indexOf(path: string): number {
    const known = this.#indexes.get(path);
    if (known !== undefined) return known;
    this.#indexes.set(path, this.files.length);
    this.files.push({ path: shownLine(path), container: "", protocols: [], exchanges: 0 });
    return this.files.length - 1;
  }

  /** The index of a file that is there. */
  known(path: string): number | undefined {
    return this.#indexes.get(path);
  }
}
