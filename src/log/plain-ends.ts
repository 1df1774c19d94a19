import { createHash } from "node:crypto";
import type { EndTurn, FileEnds } from "./ends.ts";

/** The same ends as plain data, much smaller than the file, with digests in place of what was said. */
export function plainEnds(ends: FileEnds): FileEnds {
  // A transcript continues no other file.
  const isAlone = ends.kind === "transcript";
  const known = new Map<EndTurn, EndTurn>();
  const plain = (turn: EndTurn): EndTurn => {
    const made = known.get(turn) ?? plainTurn(turn);
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

function plainTurn({ protocol, history, previousReply, replyId, said, calls }: EndTurn): EndTurn {
  return {
    protocol,
    history: history && {
      length: history.length,
      elements: history.elements.map(digest),
      hasSpeech: history.hasSpeech,
      firstOfUser: history.firstOfUser,
      items: history.items.map(digest),
      calls: history.calls,
    },
    previousReply,
    replyId,
    said: said.map(digest),
    calls,
  };
}

function digest(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
