import type { DecodedElement } from "../protocol.ts";
import { fields } from "../wire.ts";
import { frameworks } from "./frameworks.ts";
import { programs } from "./programs.ts";

const forms = [...frameworks, ...programs];

/**
 * Messages in a form that no API has: the dumps and stores of frameworks and programs are read as what they tell. An element without
 * items is one of a list that says nothing to the model: a change of state, a count of tokens.
 */
export function toldBy(value: unknown): DecodedElement | undefined {
  const message = fields(value);
  for (const form of forms) {
    const found = form(message);
    if (found) return found;
  }
  return undefined;
}
