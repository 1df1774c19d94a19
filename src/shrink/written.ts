import { writeBack } from "../containers/write/write-back.ts";
import { allMasks, headerMasks } from "../fix/masks.ts";
import { Unmaskable } from "../fix/written.ts";
import type { FailingLog, Oracle } from "./oracle.ts";

/** A shrunk log as it is to be written. */
export interface WrittenCut {
  readonly bytes: Buffer;
  /** The finding was about a credential that is masked now. */
  readonly isLostByMasking: boolean;
}

/**
 * Masks auth headers, cookies and keys in URLs, and with `redacts` all credentials, each by as many
 * characters as it has.
 *
 * @param how what a server does with it is not about what is masked
 * @throws {Unmaskable} if all credentials were to be masked and one is encoded, where it cannot be
 */
export async function maskedCut(
  log: FailingLog,
  oracle: Oracle,
  redacts: boolean,
  how: "checked" | "live" = "checked",
): Promise<WrittenCut> {
  const { source, exchanges, kind, path } = log.file;
  const isSession = kind === "transcript";
  const found = redacts
    ? allMasks(source, exchanges)
    : { masks: isSession ? [] : headerMasks(source, exchanges) };
  if ("encoded" in found)
    throw new Unmaskable(`${path} keeps credentials in a body that is encoded, where they cannot be masked`);
  const { bytes } = writeBack(source, [], { masks: found.masks });
  if (found.masks.length === 0 || how === "live") return { bytes, isLostByMasking: false };
  const judged = await oracle.judge(log, bytes, "errors");
  return { bytes, isLostByMasking: "is" in judged && judged.is === "gone" };
}
