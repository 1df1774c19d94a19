import type { PastedError } from "../../src/explain/pasted.ts";
import { pathText } from "../../src/rules/validation-errors.ts";

/** The place that a text names, as the table writes it. */
export function placeOf({ match, pointers }: PastedError): string {
  if (match?.complaint) return pathText(match.complaint.path);
  if (match && match.callIds.length > 0) return match.callIds.join(" ");
  const index = match?.index ?? pointers[0]?.index;
  return index === undefined ? "" : `element ${index}`;
}
