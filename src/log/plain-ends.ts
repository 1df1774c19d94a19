import { createHash } from "node:crypto";
import type { EndTurn, FileEnds } from "./ends.ts";

/** The same ends as plain data, much smaller than the file, with digests in place of what was said. */
export function plainEnds(ends: FileEnds): FileEnds {
  // A transcript continues no other file.
  const isAlone = ends.kind === "transcript";
  const known = new Map<EndTurn, EndTurn>();
  // Each history repeats the one before.
  const digests = new Map<string, string>();
  const digestOf = (text: string): string => {
    const made = digests.get(text) ?? digest(text);
    digests.set(text, made);
    return made;
  };
  const plain = (turn: EndTurn): EndTurn => {
    const made = known.get(turn) ?? plainTurn(turn, digestOf);
    known.set(turn, made);
    return made;
  };
  return {
    ...ends,
    first: !isAlone && ends.first ? plain(ends.first) : undefined,
    last: !isAlone && ends.last ? plain(ends.last) : undefined,
    oldest: isAlone ? [] : ends.oldest.map(plain),
    newest: isAlone ? [] : ends.newest.map(plain),
  };
}

/** The ends of a file that is a run of its own: nothing has to be known of its turns. */
export function endsAlone(ends: FileEnds): FileEnds {
  return { ...ends, first: undefined, last: undefined, oldest: [], newest: [] };
}

function plainTurn(
  { protocol, history, previousReply, replyId, said, calls }: EndTurn,
  digestOf: (text: string) => string,
): EndTurn {
  return {
    protocol,
    history: history && {
      length: history.length,
      elements: history.elements.map(digestOf),
      hasSpeech: history.hasSpeech,
      firstOfUser: history.firstOfUser,
      items: history.items.map(digestOf),
      calls: history.calls,
    },
    previousReply,
    replyId,
    said: said.map(digestOf),
    calls,
  };
}

function digest(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
