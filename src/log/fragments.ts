import { withMessagesAround } from "../containers/files/text/fragments.ts";
import type { Item } from "../conversation/item.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { sdkMessages } from "../protocols/reported/index.ts";
import { parseJson } from "../reading/parse.ts";
import type { ByteSource } from "../reading/source.ts";
import { string } from "../reading/values.ts";
import type { AroundPart, RecognizePart } from "../traffic/pasted-part.ts";
import { isMaskedId } from "../traffic/vocabulary.ts";
import type { LogFile } from "./log-file.ts";

const nothing: AroundPart = { before: "", after: "" };

/**
 * A file in which at most a request or some replies were found, with what people pasted without the messages
 * and lists around it.
 */
export async function withFragments(
  file: LogFile,
  protocols: readonly Protocol[],
  read: (source: ByteSource) => Promise<LogFile>,
): Promise<LogFile> {
  const whole = withMessagesAround(file.source, (value) => partIn(value, protocols));
  const again = whole && (await read(whole));
  if (!again) return file;
  const more = linksIn(again) - linksIn(file);
  // Calls that stand one behind another are one reply.
  const isWhole = more > 0 || (more === 0 && again.exchanges.length < file.exchanges.length);
  return isWhole ? { ...again, source: file.source, restored: again.restored ?? whole } : file;
}

function partIn(
  value: Parameters<RecognizePart>[0],
  protocols: readonly Protocol[],
): ReturnType<RecognizePart> {
  const isMessage = string(value["role"]) !== undefined;
  const owner = isMessage ? undefined : protocols.find((each) => each.aroundPart?.(value) !== undefined);
  const around = isMessage ? nothing : owner?.aroundPart?.(value);
  if (!around) return undefined;
  const message = parseJson(`${around.before}${JSON.stringify(value)}${around.after}`);
  const { items } = (owner ?? sdkMessages).decodeElement(message);
  return items.some(says)
    ? {
        ...around,
        hasCall: items.some(({ kind }) => kind === "call"),
        hasResult: items.some(({ kind }) => kind === "result"),
        isOfModel: items.every(({ role }) => role === "assistant"),
        made: idsOf(items.flatMap((item) => (item.kind === "call" ? [item.id] : []))),
        answered: idsOf(items.flatMap((item) => (item.kind === "result" ? [item.callId] : []))),
      }
    : undefined;
}

/** The ids that tell one call from another. */
function idsOf(ids: readonly (string | undefined)[]): readonly string[] {
  return ids.filter((id) => id !== undefined && !isMaskedId(id)) as string[];
}

/** Whether an item is more than an object with a role, as users have one. */
function says(item: Item): boolean {
  return item.kind !== "message" || item.text !== "";
}

/** How many calls and results were read. */
function linksIn({ exchanges }: LogFile): number {
  return exchanges.reduce((sum, { request, reply }) => {
    const { history } = request ?? {};
    const sent = Array.from({ length: history?.length ?? 0 }, (_, at) => history?.items(at) ?? []).flat();
    const items = [...sent, ...(reply?.items ?? [])];
    return sum + items.filter(({ kind }) => kind === "call" || kind === "result").length;
  }, 0);
}
