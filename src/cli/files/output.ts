import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../../reporters/shell.ts";
import type { ConfigFile } from "../config/file.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { formatNamed, type ReportFormat } from "../usage/values.ts";
import { realPath } from "./real-path.ts";

/** Where reports go. */
export interface Outputs {
  /** The format on standard output; `undefined` if the text report goes to a file. */
  readonly screen: ReportFormat | undefined;
  readonly files: readonly { readonly format: ReportFormat; readonly file: string }[];
}

/** Refuses to write a page where nobody can look at it. `typed` is the command as typed, up to its log. */
export function refusePageOnTerminal(typed: string, io: Io): void {
  if (io.isTTY)
    throw new Trouble(
      `an HTML page does not go to a terminal: use \`${typed} --format html -o report.html\` (\`--open\` shows it in the browser)`,
    );
}

/** The pages to open with `--open`; throws {@link Trouble} where there is none. */
export function openedPages(invocation: Invocation, files: Outputs["files"]): readonly string[] {
  if (!invocation.has("open")) return [];
  const pages = files.flatMap(({ format, file }) => (format === "html" ? [file] : []));
  if (pages.length === 0)
    throw new Trouble("`--open` opens the page that is written: `--format html -o report.html --open`");
  return pages;
}

/**
 * The requested reports: `--format NAME` for the screen, or for the file of `-o`; `--format NAME=FILE` in
 * addition, repeatable. Without these options a config file decides. If all reports go to files for programs,
 * the screen gets the text report.
 */
export function outputsOf(invocation: Invocation, file: ConfigFile | undefined, io: Io): Outputs {
  const formats = invocation.all("format");
  const output = invocation.one("output");
  const configured = formats.length === 0 && output === undefined ? file?.config.outputs : undefined;
  const asked = (configured ?? formats).map((value) => {
    const equals = value.indexOf("=");
    const format = formatNamed(equals < 0 ? value : value.slice(0, equals));
    const target = equals < 0 ? "-" : value.slice(equals + 1);
    if (target === "") throw new Trouble(`\`--format ${value}\` needs a file after the \`=\``);
    return {
      format,
      file:
        target === "-" ? undefined : configured && file ? configuredOutput(file, value, target, io) : target,
    };
  });
  const plain = asked.findLast((each) => each.file === undefined)?.format;
  const files = [
    ...(output === undefined || output === "-" ? [] : [{ format: plain ?? "text", file: output }]),
    ...asked.flatMap(({ format, file: to }) => (to === undefined ? [] : [{ format, file: to }])),
  ];
  const twice = files.find(({ file: to }, index) =>
    files.slice(0, index).some((other) => path.resolve(io.cwd, other.file) === path.resolve(io.cwd, to)),
  );
  if (twice) throw new Trouble(`two reports would go to ${twice.file}: name another file for one of them`);
  const isForScreen = plain !== undefined && (output === undefined || output === "-");
  const text = files.some(({ format }) => format === "text") ? undefined : "text";
  return { screen: isForScreen ? plain : text, files };
}

/**
 * A file that a config file names as an output: `value` there, of which `target` is the path. A config file
 * comes with a checkout that the user may not have read, so it may not name files outside of its directory,
 * nor git's own, which hold programs.
 */
export function configuredOutput(file: ConfigFile, value: string, target: string, io: Io): string {
  const inside = path.relative(realPath(file.folder), realPath(path.resolve(file.folder, target)));
  const steps = inside.split(path.sep);
  if (path.isAbsolute(inside) || steps[0] === "..")
    throw new Trouble(
      `${file.shown} names an output outside its directory, ${value}: only the command line may do that`,
    );
  // Other spellings of it on file systems that do not tell them apart.
  if (steps.some((step) => /^(?:\.git[. ]*|git~1)$/i.test(step)))
    throw new Trouble(`${file.shown} names an output in git's own directory, ${value}: name another file`);
  return fromCwd(file, target, io);
}

/** A path in a config file, made relative to the working directory. */
export function fromCwd({ folder }: ConfigFile, target: string, { cwd }: Io): string {
  return path.relative(cwd, path.resolve(folder, target)) || target;
}

/** Refuses to overwrite an input file. */
export function refuseInput(
  shown: string,
  cwd: string,
  inputs: readonly { readonly path: string }[],
  option = "--output",
  advice = "name another file",
): void {
  const output = inodeOf(path.resolve(cwd, shown));
  if (output === undefined) return;
  for (const input of inputs) {
    if (input.path !== "-" && inodeOf(path.resolve(cwd, input.path)) === output) {
      throw new Trouble(`\`${option}\` would overwrite the log ${input.path}: ${advice}`);
    }
  }
}

/** Names a regular file, by whatever name it is called; `undefined` for anything else. */
export function inodeOf(full: string): string | undefined {
  const stats = statsOf(full);
  return stats?.isFile() ? `${stats.dev} ${stats.ino}` : undefined;
}

/** The stats of a path; `undefined` if nothing is there, or nothing can be. */
export function statsOf(full: string): Stats | undefined {
  try {
    return statSync(full, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Refuses to write a file where a directory is, or where there is none to hold it, before work is done that
 * could not be kept.
 *
 * @param example what the file may be called
 */
export function refuseFolder(typed: string, example: string, { cwd }: Io): void {
  const full = path.resolve(cwd, typed);
  if (statsOf(full)?.isDirectory())
    throw new Trouble(
      `${typed} is a directory: name a file in it: \`-o ${shellWord(path.join(typed, example))}\``,
    );
  const folder = path.dirname(typed);
  if (!statsOf(path.dirname(full)))
    throw new Trouble(`there is no directory ${folder}; create it first: \`mkdir -p ${shellWord(folder)}\``);
}
