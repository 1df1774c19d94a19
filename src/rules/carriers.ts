import type { Conversation, Step } from "../conversation/conversation.ts";
import type { Exchange, History } from "../conversation/exchange.ts";
import { contentOf } from "../conversation/identity.ts";
import type { ReportTarget } from "./rule.ts";

/**
 * The later requests with the same element as a finding. Looks at each history index once, not once per
 * finding: a client that breaks an element in every request has as many findings as requests.
 */
export function carriersIn(conversation: Conversation): (target: ReportTarget) => readonly Exchange[] {
  const { steps, kind } = conversation;
  const byElement = new Map<number, Map<string, Step[]>>();
  // Requests share element objects.
  const contents = new Map<unknown, string>();
  const contentIn = (history: History, index: number): string => {
    const shared = history.element(index);
    const content = contents.get(shared) ?? contentAt(history, index);
    contents.set(shared, content);
    return content;
  };
  const requestsWith = (element: number): Map<string, Step[]> => {
    const known = byElement.get(element);
    if (known) return known;
    const alike = new Map<string, Step[]>();
    for (const step of steps) {
      const history = step.request?.history;
      if (!history || element >= history.length) continue;
      const content = contentIn(history, element);
      const list = alike.get(content);
      if (list) list.push(step);
      else alike.set(content, [step]);
    }
    byElement.set(element, alike);
    return alike;
  };
  return (target) => {
    const own = target.step.request?.history;
    if (!("item" in target) || target.part !== "request" || kind === "transcript" || !own) return [];
    const alike = requestsWith(target.element).get(contentIn(own, target.element)) ?? [];
    return alike.filter(({ number }) => number > target.step.number).map(({ exchange }) => exchange);
  };
}

/** A key, equal for elements with the same content. */
function contentAt(history: History, element: number): string {
  const items = history.items(element);
  const [only] = items;
  const content =
    items.length === 1 && only ? contentOf(only) : JSON.stringify(items.map((item) => contentOf(item)));
  return `${history.role(element)} ${content}`;
}
