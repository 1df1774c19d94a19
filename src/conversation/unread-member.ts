import { isFields } from "../reading/values.ts";
import type { History } from "./exchange.ts";
import type { Item } from "./item.ts";

/** Shorter values may be a name or a state. */
const shortest = 8;

/** A member that is about a message in every form of one. */
const aboutMessage =
  /^(?:role|type|model|error|.*(?:[Tt]ime|[_A-Z]?[Dd]ate|_at|At|[Ii][Dd]|[Pp]ath|cwd|dir))$/;

/**
 * The member that seems to hold what the message at `place` says: nothing was read of the message, no member
 * of it is empty, and this one has words. An object counts only in a message that lost its role, which the
 * first of the history has.
 */
export function unreadMember(history: History, place: number): string | undefined {
  if (history.items(place).some(says)) return undefined;
  const { value: element } = history.element(place);
  if (!isFields(element)) return undefined;
  const members = Object.entries(element);
  if (members.some(([, value]) => isEmpty(value))) return undefined;
  const lostRole = !hasRole(element) && hasRole(history.element(0).value);
  return members.find(([key, value]) => !aboutMessage.test(key) && holdsWords(value, lostRole))?.[0];
}

function hasRole(element: unknown): boolean {
  return isFields(element) && typeof element["role"] === "string";
}

function says(item: Item): boolean {
  if (item.kind === "result" || item.kind === "message") return item.text !== "" || item.hasMedia;
  return true;
}

function isEmpty(value: unknown): boolean {
  return value === "" || value === null || (Array.isArray(value) && value.length === 0);
}

/** In a message with a role, an object is what programs keep beside it. */
function holdsWords(value: unknown, lostRole: boolean): boolean {
  if (Array.isArray(value)) return value.filter(isFields).some((each) => Object.values(each).some(isWordy));
  if (isFields(value)) return lostRole && Object.keys(value).length > 0;
  return isWordy(value);
}

function isWordy(value: unknown): boolean {
  if (isFields(value)) return Object.keys(value).length > 0;
  if (typeof value !== "string" || value.trim().length < shortest) return false;
  if (/^\d{4}-\d\d-\d\d/.test(value)) return false;
  return /\S\s+\S/.test(value.trim()) || /^\s*[[{"<]/.test(value);
}
