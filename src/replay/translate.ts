import { openLog } from "../log/open.ts";
import { protocolNamed, protocols } from "../protocols/index.ts";
import { portableRequest } from "../protocols/portable-request.ts";
import { supported } from "../protocols/protocol.ts";
import { memorySource } from "../reading/source.ts";
import { historyKeyOf, type RequestDraft, Unsendable } from "./history.ts";

/** The protocols into which a history can be translated. */
export const targetProtocols: readonly string[] = protocols.flatMap(({ name, encode }) =>
  encode === "unsupported" ? [] : [name],
);

/** A draft in another protocol, and what the translation lost, a sentence each. */
export interface Translated {
  readonly draft: RequestDraft;
  readonly lost: readonly string[];
}

/**
 * Translates a draft into another protocol. The model belongs to the other provider, so the caller must name
 * it.
 * @throws {@link Unsendable} when the draft cannot be read
 */
export async function translate(
  draft: RequestDraft,
  to: string,
  model: string | undefined,
): Promise<Translated> {
  const encode = supported(protocolNamed(to)?.encode);
  if (!encode)
    throw new Unsendable(`cannot translate into ${to}: choose one of ${targetProtocols.join(", ")}`);
  if (draft.protocol === to) return { draft, lost: [] };
  const source = memorySource("draft", Buffer.from(JSON.stringify(draft.body)));
  const own = protocolNamed(draft.protocol);
  const { exchanges } = await openLog({ path: "draft", source }, own ? { protocol: own } : {});
  const request = exchanges[0]?.request;
  if (!request) throw new Unsendable("toollint does not understand the request well enough to translate it");
  const { plain, lost } = portableRequest(request, draft.body);
  const { body, lost: notTaken } = encode(plain, model, draft.isStreaming);
  return {
    draft: { protocol: to, model, isStreaming: draft.isStreaming, body, historyKey: historyKeyOf(to) },
    lost: [...lost, ...notTaken],
  };
}
