import { type Context, contextWithin, noContext } from "../../payloads/record-context.ts";
import type { ScalarReader } from "./yaml-document.ts";
import { plainValue } from "./yaml-json.ts";
import type { YamlMap, YamlMember, YamlNode } from "./yaml-nodes.ts";

/** One exchange of a cassette: what stands on the request's side, on the reply's side, and beside them. */
export interface CassetteRecord {
  readonly start: number;
  readonly end: number;
  readonly request: YamlNode | undefined;
  readonly reply: YamlNode | undefined;
  /** The members that are neither; the whole value, where it has no sides. */
  readonly rest: readonly YamlNode[];
  /** What holds all of it, for the members that tell about the exchange. */
  readonly envelope: YamlMap | undefined;
}

const listKey = /^(?:http_)?interactions$|^(?:exchanges|records|entries|cassettes|episodes)$/i;
const requestKey = /^(?:request|when|req|request_sample)$/i;
const replyKey = /^(?:response|then|res|reply|response_sample)$/i;

/** Keys of headers: they tell about the exchange and hold no payload. */
export const headerKey = /(?:^|_)headers?$/i;

/**
 * The records of a document: the elements of its list, or what its two lists hold side by side, or the document.
 * `isList` says that the root is known to be the list.
 */
export function* recordsOf(root: YamlNode, isList: boolean): Generator<CassetteRecord> {
  if (root.kind === "map") {
    const list = root.members.find(({ key, node }) => listKey.test(key) && node.kind === "seq")?.node;
    if (list?.kind === "seq") for (const item of list.items) yield recordOf(item);
    else yield* sideBySide(root) ?? [recordOf(root)];
  } else if (root.kind === "seq" && (isList || root.items.some(hasSides))) {
    for (const item of root.items) yield recordOf(item);
  } else {
    yield {
      start: root.start,
      end: root.end,
      request: undefined,
      reply: undefined,
      rest: [root],
      envelope: undefined,
    };
  }
}

/** LangChain keeps `requests` and `responses` in two lists. */
function sideBySide(root: YamlMap): CassetteRecord[] | undefined {
  const requests = root.members.find(({ key }) => key === "requests")?.node;
  const replies = root.members.find(({ key }) => key === "responses")?.node;
  if (requests?.kind !== "seq" || replies?.kind !== "seq") return undefined;
  return Array.from({ length: Math.max(requests.items.length, replies.items.length) }, (_, place) => {
    const request = requests.items[place];
    const reply = replies.items[place];
    const { start, end } = request ?? reply ?? root;
    return { start, end, request, reply, rest: [], envelope: undefined };
  });
}

function hasSides(node: YamlNode): boolean {
  return node.kind === "map" && node.members.some(({ key }) => requestKey.test(key) || replyKey.test(key));
}

function recordOf(node: YamlNode): CassetteRecord {
  const { start, end } = node;
  if (node.kind !== "map" || !hasSides(node))
    return { start, end, request: undefined, reply: undefined, rest: [node], envelope: undefined };
  const side = (keys: RegExp): YamlMember | undefined => node.members.find(({ key }) => keys.test(key));
  const request = side(requestKey);
  const reply = side(replyKey);
  const rest = node.members
    .filter((member) => member !== request && member !== reply)
    .map((member) => member.node);
  return { start, end, request: request?.node, reply: reply?.node, rest, envelope: node };
}

/** What the record tells about its request and its reply: the reply has the request's address and its own headers. */
export function recordContexts(
  record: CassetteRecord,
  reader: ScalarReader,
): { request: Context; reply: Context } {
  const outer = record.envelope ? contextInside(noContext, record.envelope, reader) : noContext;
  const request = record.request?.kind === "map" ? contextInside(outer, record.request, reader) : outer;
  const reply =
    record.reply?.kind === "map"
      ? contextInside({ ...request, headers: outer.headers }, record.reply, reader)
      : request;
  return { request: reply.status === undefined ? request : { ...request, status: reply.status }, reply };
}

/** The context that holds inside a mapping. */
export function contextInside(outer: Context, map: YamlMap, reader: ScalarReader): Context {
  return contextWithin(outer, tellingMembers(map, reader));
}

/** Longer scalars are bodies, not addresses or ids. */
const maxTelling = 2048;

function* tellingMembers(map: YamlMap, reader: ScalarReader): Generator<[string, unknown]> {
  for (const { key, node } of map.members) {
    if (node.kind === "scalar") {
      if (node.end - node.start < maxTelling) yield [key, node.isString ? reader.text(node) : node.value];
    } else if (headerKey.test(key)) {
      yield [key, plainValue(node, reader)];
    } else if (/^status$/i.test(key) && node.kind === "map") {
      yield* tellingMembers(
        { ...node, members: node.members.filter((member) => member.key === "code") },
        reader,
      );
    }
  }
}
