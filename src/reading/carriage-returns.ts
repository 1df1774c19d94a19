import type { ByteSource } from "./source.ts";
import { segmentedView, sourceOver, wholeView } from "./view.ts";

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/**
 * A text in which some lines end with CR alone, as servers may end those of a stream, with LF there; any
 * other as it is. Offsets stay, and an edit keeps the line ends around it.
 */
export function withLineFeeds(source: ByteSource): ByteSource {
  const bytes = source.read(0, source.size);
  let fed: Buffer | undefined;
  for (
    let at = bytes.indexOf(CARRIAGE_RETURN), next = 0;
    at >= 0;
    at = bytes.indexOf(CARRIAGE_RETURN, next)
  ) {
    next = at + 1;
    while (bytes[next] === CARRIAGE_RETURN) next++;
    if (bytes[next] === LINE_FEED || next === bytes.length) continue;
    fed ??= Buffer.from(bytes);
    fed.fill(LINE_FEED, at, next);
  }
  if (!fed) return source;
  return sourceOver(
    segmentedView(
      wholeView(source),
      fed,
      [{ at: 0, from: 0, length: fed.length }],
      () =>
        ({ bytes: own }) =>
          own,
    ),
  );
}
