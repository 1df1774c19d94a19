import { refusesInWords } from "../protocols/known-errors.ts";
import { isServicePath, purposeBesideTurns, purposeOf, urlFits } from "../protocols/paths.ts";
import type { Peek, Protocol } from "../protocols/protocol.ts";
import { printedStatus } from "../protocols/request-errors.ts";
import { evidence, threshold } from "../traffic/certainty.ts";
import type { Recognizer } from "../traffic/recognizer.ts";

/** The recognition of all protocols together, for containers. */
export function recognizerOf(
  protocols: readonly Protocol[],
  /** Protocols that may claim a URL even if their payloads are not accepted. */
  all: readonly Protocol[] = protocols,
): Recognizer {
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  const fitOf = urlFits(all);
  const isProbe: Recognizer["isProbe"] = (method = "", url) =>
    /^(?:HEAD|OPTIONS|GET)$/i.test(method) ||
    (url !== undefined && (isServicePath(url) || purposeBesideTurns(all, url) !== undefined));
  return {
    historyKeys: new Set(protocols.flatMap((protocol) => protocol.historyKeys)),
    messageKeys: protocols.flatMap(({ messageKeys = [] }) => messageKeys),
    stableKeys: new Set(protocols.flatMap((protocol) => protocol.stableKeys)),
    recognize(peek, url, where = "wire") {
      let best: ReturnType<Recognizer["recognize"]>;
      for (const protocol of protocols) {
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
        if (certainty > (best?.certainty ?? 0))
          best = {
            protocol: protocol.name,
            fidelity: protocol.fidelity ?? "wire",
            ...recognition,
            certainty,
          };
      }
      return best;
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

function reportBonus(protocol: Protocol, peek: Peek): number {
  if (peek.kind("model") === "string") return 0;
  return protocol.fidelity === "reported" ? evidence.reportedForm : evidence.wireFormInReport;
}
