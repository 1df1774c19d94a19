import type { Exchange } from "../conversation/exchange.ts";
import type { StoredItems } from "../protocols/endpoint.ts";
import { endpointOf, type RequestDraft, Unsendable } from "./history.ts";

/**
 * Makes a draft independent of history stored on a server: items from the log replace the references.
 * @param exchanges all exchanges of the log
 * @param draftOf a request's own draft
 * @throws {@link Unsendable} when the log lacks an item
 */
export function selfContained(
  exchange: Exchange,
  exchanges: readonly Exchange[],
  draftOf: (exchange: Exchange) => RequestDraft,
): RequestDraft {
  const draft = draftOf(exchange);
  const links = exchange.request?.links;
  if (links?.conversation !== undefined) {
    throw new Unsendable(
      `request ${exchange.number} uses server-side history (conversation \`${links.conversation}\`), which is not in the log: it cannot be sent to another server`,
    );
  }
  const { stored } = endpointOf(draft.protocol);
  if (!stored) return draft;
  const isWhole =
    links?.previousReply === undefined &&
    !elementsOf(draft).some((element) => stored.referenceOf(element) !== undefined);
  if (isWhole) return draft;
  const before =
    links?.previousReply === undefined
      ? []
      : storedHistory(links.previousReply, exchange, exchanges, draftOf);
  const history = [...before, ...elementsOf(draft)]
    .map((element) => resolved(element, exchange, exchanges, stored))
    .flatMap(stored.portable);
  const { [stored.linkKey]: _, ...body } = draft.body;
  return { ...draft, body: { ...body, [draft.historyKey]: history } };
}

/** The history up to and including a reply that the server stores, rebuilt from the log. */
function storedHistory(
  id: string,
  exchange: Exchange,
  exchanges: readonly Exchange[],
  draftOf: (exchange: Exchange) => RequestDraft,
): readonly unknown[] {
  const chain: Exchange[] = [];
  let wanted: string | undefined = id;
  while (wanted !== undefined) {
    const source = exchanges.find(({ reply }) => reply?.id === wanted);
    if (!source || chain.includes(source)) {
      throw new Unsendable(
        `request ${exchange.number} continues \`${wanted}\`, which only the server has: replay an earlier request (\`--exchange\`), or a log of the whole run`,
      );
    }
    chain.unshift(source);
    wanted = source.request?.links.previousReply;
  }
  return chain.flatMap((source) => [
    ...(source.request ? elementsOf(draftOf(source)) : []),
    ...(source.reply?.writings?.[0] ?? []),
  ]);
}

function elementsOf({ body, historyKey }: RequestDraft): readonly unknown[] {
  const history = body[historyKey];
  if (typeof history === "string") return [{ role: "user", content: history }];
  return Array.isArray(history) ? history : [];
}

function resolved(
  element: unknown,
  exchange: Exchange,
  exchanges: readonly Exchange[],
  stored: StoredItems,
): unknown {
  const id = stored.referenceOf(element);
  if (id === undefined) return element;
  for (const { reply } of exchanges) {
    const found = reply?.writings?.[0]?.find((item) => stored.idOf(item) === id);
    if (found !== undefined) return found;
  }
  throw new Unsendable(
    `request ${exchange.number} refers to item \`${id}\`, which only the server has: replay an earlier request (\`--exchange\`)`,
  );
}
