import { TooLarge } from "../reading/limit.ts";

/** A failure described in a message for the user, possibly of several lines: exit code 2. */
export class Trouble extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ENOTDIR: "part of its path is not a directory",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOSPC: "no space left on the device",
  EROFS: "the file system is read-only",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "its name is too long",
  ENXIO: "it is a pipe or a device now",
  EIO: "the device failed to read or write it",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host",
  ERR_FS_FILE_TOO_LARGE: "it is too large",
};

/** The reason for a failure in words: the system's, or that a log does not fit in memory. */
export function reasonOf(error: unknown): string {
  if (error instanceof TooLarge) return error.message;
  const code = codeOf(error);
  return (code !== undefined && Object.hasOwn(reasons, code) && reasons[code]) || code || "it failed";
}

/** The system's error code (`ENOENT`); `undefined` for other errors. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether an error comes from the operating system, for example an unreadable disk. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException & { readonly syscall: string } {
  return codeOf(error) !== undefined && typeof (error as NodeJS.ErrnoException).syscall === "string";
}

/** A system error as {@link Trouble}: "cannot write report.json: no space left on the device". */
export function systemTrouble(error: unknown, what: string): Trouble {
  return new Trouble(`${what}: ${reasonOf(error)}`);
}
