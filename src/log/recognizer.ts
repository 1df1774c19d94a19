import { peekValue } from "../containers/payloads/peek.ts";
import { refusesInWords } from "../protocols/known-errors.ts";
import { isServicePath, purposeBesideTurns, purposeOf, urlFits } from "../protocols/paths.ts";
import type { Peek, Protocol } from "../protocols/protocol.ts";
import { printedStatus } from "../protocols/request-errors.ts";
import { evidence, threshold } from "../traffic/certainty.ts";
import type { Fidelity } from "../traffic/fidelity.ts";
import type { RecognizedPayload, Recognizer } from "../traffic/recognizer.ts";

/** The recognition of all protocols together, for containers. */
export function recognizerOf(
  protocols: readonly Protocol[],
  /** Protocols that may claim a URL even if their payloads are not accepted. */
  all: readonly Protocol[] = protocols,
): Recognizer {
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  const fitOf = urlFits(all);
  const bareOwners = ownersOfLists(protocols);
  const isProbe: Recognizer["isProbe"] = (method = "", url) =>
    /^(?:HEAD|OPTIONS|GET)$/i.test(method) ||
    (url !== undefined && (isServicePath(url) || purposeBesideTurns(all, url) !== undefined));
  const best = (
    asked: readonly Protocol[],
    peek: Peek,
    url: string | undefined,
    where: Fidelity = "wire",
  ): RecognizedPayload | undefined => {
    let found: RecognizedPayload | undefined;
    for (const protocol of asked) {
      const recognition = protocol.recognize(peek);
      if (!recognition) continue;
      const fit = url === undefined ? 0 : fitOf(protocol, url);
      const bonus = where === "reported" ? reportBonus(protocol, peek) : 0;
      // A gateway's errors may differ in form from the API it serves.
      const isError =
        recognition.part === "reply" &&
        recognition.certainty >= threshold.taken &&
        recognition.certainty < threshold.leading;
      const least = isError && bonus === 0 ? threshold.taken : 0;
      const certainty = Math.max(
        least,
        Math.min(
          1,
          recognition.certainty + (fit > 0 ? evidence.ownUrl : fit < 0 ? evidence.foreignUrl : 0) + bonus,
        ),
      );
      if (certainty > (found?.certainty ?? 0))
        found = {
          protocol: protocol.name,
          fidelity: protocol.fidelity ?? "wire",
          ...recognition,
          certainty,
        };
    }
    return found;
  };
  return {
    historyKeys: new Set(protocols.flatMap((protocol) => protocol.historyKeys)),
    messageKeys: protocols.flatMap(({ messageKeys = [] }) => messageKeys),
    stableKeys: new Set(protocols.flatMap((protocol) => protocol.stableKeys)),
    recognize: (peek, url, where) => best(protocols, peek, url, where),
    recognizeHistory(items, url, where) {
      let found: RecognizedPayload | undefined;
      for (const [key, owners] of bareOwners) {
        const request = best(owners, peekValue({ [key]: items }), url, where);
        if (request?.part === "request" && request.certainty > (found?.certainty ?? 0)) found = request;
      }
      return found;
    },
    isProbe,
    asksModel: (method, url) =>
      url !== undefined &&
      !isProbe(method, url) &&
      all.some((protocol) => purposeOf(protocol, url) === "turn"),
    printedStatus,
    refusesInWords,
    asksAlike: (name, other) => byName.get(name)?.asksAs === other || byName.get(other)?.asksAs === name,
    isTerminal: (name, frame) => byName.get(name)?.isTerminal(frame) ?? false,
    replyId: (name, frame) => byName.get(name)?.replyId(frame),
    continuesReply: (name, frame, reply) => byName.get(name)?.continuesReply?.(frame, reply) ?? false,
  };
}

/**
 * The protocols by the key of their histories: a log may consist of lists, so each protocol is asked about a
 * list once. Dotted keys name attributes of spans and would make any list a history.
 */
function ownersOfLists(protocols: readonly Protocol[]): ReadonlyMap<string, readonly Protocol[]> {
  const owners = new Map<string, Protocol[]>();
  for (const protocol of protocols) {
    const key = protocol.historyKeys.find((name) => !name.includes("."));
    if (key === undefined) continue;
    const others = owners.get(key);
    if (others) others.push(protocol);
    else owners.set(key, [protocol]);
  }
  return owners;
}

function reportBonus(protocol: Protocol, peek: Peek): number {
  if (peek.kind("model") === "string") return 0;
  return protocol.fidelity === "reported" ? evidence.reportedForm : evidence.wireFormInReport;
}
