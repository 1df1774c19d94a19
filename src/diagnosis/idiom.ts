import type { ClientIdiom } from "../protocols/protocol.ts";
import type { Idiom } from "../rules/habit.ts";

const general: Idiom = {
  append: "`history.push(reply, ...results)`",
  result: "",
};

/** The code of a protocol's clients for use in advice; general words if there is no code to show. */
export function inWords(idiom: ClientIdiom | undefined): Idiom {
  return idiom ? { append: `\`${idiom.append}\``, result: `: \`${idiom.result}\`` } : general;
}
