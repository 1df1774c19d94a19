import { dirname, join, normalize } from "node:path";
import type { Exchange } from "../conversation/exchange.ts";
import type { LogFile } from "./log-file.ts";

/** How to open sidecars and the files that refer to them. */
export interface SidecarOpener {
  /** Another file on the same disk, read with the settings of `file`; `undefined` if there is none. */
  beside(file: LogFile, path: string): Promise<LogFile | undefined>;
  /** The file read again as this protocol; `undefined` if the user named another. */
  readAs(file: LogFile, protocol: string): Promise<LogFile | undefined>;
}

/** Files joined with the replies in their sidecars. */
export interface Joining {
  /** In the given order, without sidecars. */
  readonly files: readonly LogFile[];
  /** The sidecars of each file, among the given files. */
  readonly sidecars: ReadonlyMap<LogFile, readonly LogFile[]>;
}

/** Joins requests with replies in other files, by the file name in the log or by similar file names. */
export async function joinSidecars(files: readonly LogFile[], opener: SidecarOpener): Promise<Joining> {
  const byPath = new Map(files.map((file) => [normalize(file.path), file]));
  const byStem = new Map(files.map((file) => [stemOf(file.path), file]));
  const given = new Set(files);
  const taken = new Set<LogFile>();
  const answered = new Map<LogFile, LogFile>();
  const sidecars = new Map<LogFile, readonly LogFile[]>();
  for (const file of files) {
    const paths = replyPaths(file);
    const stems = namesakes(file);
    if (paths.size === 0 && stems.length === 0) continue;
    const [namesake] = stems.flatMap((stem) => byStem.get(stem) ?? []);
    const exchanges = [...file.exchanges];
    const own: LogFile[] = [];
    for (const [index, exchange] of exchanges.entries()) {
      const named = paths.get(exchange.number) ?? [];
      const [known = namesake] = named.flatMap((path) => byPath.get(path) ?? []);
      const sidecar = known ?? (await besideOf(file, named, opener));
      if (!sidecar || taken.has(sidecar)) continue;
      const whole = await answeredBy(sidecar, exchange, file, opener);
      if (!whole) continue;
      exchanges[index] = whole;
      taken.add(sidecar);
      if (given.has(sidecar)) own.push({ ...sidecar, exchanges: [], isPart: true });
    }
    const joined = withExchanges(file, exchanges);
    answered.set(file, joined);
    sidecars.set(joined, own);
  }
  return {
    files: files.filter((file) => !taken.has(file)).map((file) => answered.get(file) ?? file),
    sidecars,
  };
}

async function besideOf(
  file: LogFile,
  paths: readonly string[],
  { beside }: SidecarOpener,
): Promise<LogFile | undefined> {
  for (const path of paths) {
    const found = await beside(file, path);
    if (found) return found;
  }
  return undefined;
}

/** The reply's protocol decides how to read a vague request: three protocols write `{model, messages}`. */
async function answeredBy(
  sidecar: LogFile,
  asked: Exchange,
  file: LogFile,
  { readAs }: SidecarOpener,
): Promise<Exchange | undefined> {
  const answered = answeredFrom(asked, sidecar);
  const [reply] = sidecar.exchanges;
  if (answered || !reply) return answered;
  const again = await readAs(file, reply.protocol);
  const same = again?.exchanges.find(({ number }) => number === asked.number);
  return same?.request && again?.exchanges.length === file.exchanges.length
    ? answeredFrom(same, sidecar)
    : undefined;
}

function withExchanges(file: LogFile, exchanges: readonly Exchange[]): LogFile {
  const found = exchanges.filter(({ reply }, index) => reply && !file.exchanges[index]?.reply).length;
  const { joined } = file;
  return {
    ...file,
    exchanges,
    ...(joined && { joined: { ...joined, file: found, requestOnly: joined.requestOnly - found } }),
  };
}

/** The folder that recorders keep bodies in, beside or below that of the files that refer to them. */
export const bodyFolder = "__files";

/** Where recorders store a body in another file, relative to the referring file's folder. */
const bodyFolders = [`../${bodyFolder}`, bodyFolder, "."];

/** The words for request and reply in file names. */
const sides = [
  ["request", "response"],
  ["request", "reply"],
  ["req", "res"],
  ["req", "resp"],
  ["prompt", "completion"],
  ["prompt", "response"],
  ["input", "output"],
  ["sent", "received"],
] as const;

/** A path without the words for request and reply: the same for `run/requests` and `run/responses`. */
export function withoutSides(folder: string): string {
  return sides.flat().reduce((text, word) => text.replace(wordOf(word), "*"), folder);
}

/** Where the replies to a file's requests would be, whether such files are given or not. */
export interface ReplyPlaces {
  /** Normalised paths. */
  readonly paths: readonly string[];
  /** Paths by {@link stemOf}. */
  readonly stems: readonly string[];
}

/** Where the replies to a file's requests would be. */
export function replyPlaces(file: LogFile): ReplyPlaces {
  return { paths: [...replyPaths(file).values()].flat(), stems: namesakes(file) };
}

/** A path as {@link ReplyPlaces} has it in `stems`. */
export function stemOf(path: string): string {
  return withoutExtension(normalize(path));
}

/** Candidate paths, in order of preference, for the replies to a file's requests, by exchange number. */
function replyPaths({ path, repliesIn }: LogFile): Map<number, string[]> {
  const named = [...(repliesIn ?? [])].filter(([, name]) => staysInFolder(name));
  const places = named.map(([number, name]): [number, string[]] => [
    number,
    bodyFolders.map((folder) => join(dirname(path), folder, name)),
  ]);
  return new Map(places);
}

/** Logs are untrusted: a name may not lead to another folder. */
function staysInFolder(name: string): boolean {
  return !/^[\\/]|^[A-Za-z]:|(?:^|[\\/])\.\.(?:[\\/]|$)|\0/.test(name);
}

/**
 * The paths, without extensions, where one would look for the reply to this file's only request: the same
 * path with the word for request replaced by that for reply (`001_request.json`, `requests/001.json`). Empty
 * if the file holds anything else.
 */
function namesakes({ path, exchanges }: LogFile): string[] {
  const [only] = exchanges;
  if (exchanges.length !== 1 || !only?.request || only.reply) return [];
  return sides.flatMap(([asked, answered]) => {
    const words = [...path.matchAll(wordOf(asked))];
    const last = words.at(-1);
    if (!last) return [];
    const [word] = last;
    const other = word === word.toUpperCase() ? answered.toUpperCase() : answered;
    const cased = /^[A-Z][a-z]/.test(word) ? `${other.charAt(0).toUpperCase()}${other.slice(1)}` : other;
    const plural = word.length > asked.length ? word.slice(asked.length) : "";
    return [
      withoutExtension(path.slice(0, last.index) + cased + plural + path.slice(last.index + word.length)),
    ];
  });
}

/** A word on its own, as in `001_request.json` or `requests/001.json`, or part of `chatRequest.json`. */
function wordOf(word: string): RegExp {
  const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return new RegExp(`(?:(?<![A-Za-z])(?:${word}|${word.toUpperCase()})|${capital})s?(?![a-z])`, "g");
}

/** Normalises a path for comparison: a stream may have another extension than its request. */
function withoutExtension(path: string): string {
  return path.replace(/\.[A-Za-z0-9]{1,6}$/, "");
}

/** The exchange with the reply from a separate file; `undefined` if that file holds something else. */
function answeredFrom(asked: Exchange, { exchanges }: LogFile): Exchange | undefined {
  const [answered, ...others] = exchanges;
  if (!answered?.reply || answered.request || others.length > 0) return undefined;
  if (answered.protocol !== asked.protocol) return undefined;
  const status = asked.status ?? answered.status;
  return {
    ...asked,
    reply: answered.reply,
    ...(status !== undefined && { status }),
    isCut: asked.isCut || answered.isCut,
  };
}
