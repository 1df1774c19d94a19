import type { Exchange, Request } from "../conversation/exchange.ts";
import { runOf } from "../protocols/history.ts";
import { judgement } from "../protocols/profiles/judge.ts";
import type { Profile } from "../protocols/profiles/profile.ts";
import { type Protocol, type RequestBody, supported } from "../protocols/protocol.ts";
import { createFormReader } from "../protocols/request-schema.ts";
import type { StoredHistory } from "../protocols/server-side.ts";
import { type Fields, isFields, list } from "../protocols/wire.ts";
import { memorySource } from "../reading/source.ts";
import { wholeView } from "../reading/view.ts";
import { sharedElement } from "./elements.ts";

/** A request to be judged. */
export interface Judged {
  readonly protocol: Protocol;
  readonly profile: Profile;
  /** The model whose demands apply there; default: the request's own. */
  readonly model?: string | undefined;
  /** The request, a JSON object. */
  readonly body: Fields;
  /** The body that contains it, and the pointer to it from there; absent if it is the body. */
  readonly envelope?: { readonly body: Fields; readonly base: string };
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly purpose: "turn" | "count";
  /** What the server has stored and puts before the request's own history. */
  readonly stored?: StoredHistory;
}

/** The exchange that a request begins, as the rules read it; there is no reply yet. */
export async function exchangeOf(judged: Judged): Promise<Exchange & { readonly request: Request }> {
  const { protocol, profile, model, url, headers, stored } = judged;
  const body = bodyOf(judged);
  const decoded = protocol.decodeRequest(body);
  const { previousReply: _, conversation: __, ...links } = decoded.links;
  const request = stored && !stored.isPartial ? { ...decoded, links } : decoded;
  const clues = {
    protocol: protocol.name,
    url,
    host: undefined,
    model: decoded.model,
    reply: undefined,
  };
  const judgedBy = judgement(clues, { profile, as: "profile", ...(model !== undefined && { model }) });
  const form = (await formReaderOf(protocol))?.(body, request, judgedBy.demands);
  return {
    number: 1,
    position: 1,
    file: "request",
    protocol: protocol.name,
    fidelity: "wire",
    ...judgedBy,
    request,
    reply: undefined,
    ...(form && { form }),
    url,
    headers,
    isAborted: false,
    isCut: false,
  };
}

/** The body with what the server has stored before its history. It has no place in a file. */
function bodyOf({ protocol, body, envelope, url, headers, stored }: Judged): RequestBody {
  const [historyKey = ""] = protocol.historyKeys;
  const { [historyKey]: history, ...others }: Fields = { ...stored?.fields, ...body };
  const own = stored?.own ?? (Array.isArray(history) ? history : undefined);
  const earlier = stored?.elements ?? [];
  const hasElements = own !== undefined || earlier.length > 0;
  const source = memorySource("request", Buffer.alloc(0));
  const origin = { source, start: 0, end: 0 };
  return {
    // A history that is not a list stays among the members, where the schema judges it.
    fields: hasElements ? others : body,
    run: hasElements ? runOf([...earlier, ...(own ?? listed(history))].map(sharedElement)) : undefined,
    envelope: {},
    base: envelope?.base ?? "",
    historyPointer: `${envelope?.base ?? ""}/${historyKey}`,
    place: {
      origin,
      span: { view: wholeView(source), start: 0, end: 0, level: 0 },
      locate: () => origin,
      locateAt: () => origin,
    },
    url,
    headers,
  };
}

/** A history that is a plain text says one thing. */
function listed(history: unknown): readonly unknown[] {
  if (typeof history === "string") return [{ role: "user", content: history }];
  return isFields(history) ? [history] : list(history);
}

type FormReader = ReturnType<typeof createFormReader>;

const readers = new Map<string, FormReader | undefined>();

async function formReaderOf(protocol: Protocol): Promise<FormReader | undefined> {
  if (!readers.has(protocol.name)) {
    const validators = await supported(protocol.loadSchema)?.();
    readers.set(protocol.name, validators && createFormReader(validators, protocol));
  }
  return readers.get(protocol.name);
}
