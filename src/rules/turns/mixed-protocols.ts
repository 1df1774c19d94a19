import type { Placed } from "../../conversation/conversation.ts";
import { formOf, isSurelySent, newItems } from "../../conversation/new-items.ts";
import { valueAt } from "../../reading/pointer.ts";
import { defineRule, refused } from "../rule.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "mixed-protocols",
  summary: "Items in one API's form inside a history of another API",
  ground: "refused",
  severity: "warning",
  needs: "wire",
  looksAt: ["flaws"],
  messages: {
    form: ({ form }: Facts) => `\`${short(form)}\` belongs to a different API than this history`,
    block: ({ role }: { readonly role: string }) =>
      `the ${role} message contains a block in the form of another API`,
  },

  habit: {
    title: "The client mixes the forms of two APIs in one history",
    consequence: "So the server rejects the foreign parts or silently drops them",
    change: "translate the whole history when a conversation moves to another API: calls, results and ids",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      if (!isSurelySent(step)) continue;
      for (const placed of newItems(step)) {
        for (const flaw of placed.item.flaws ?? []) {
          if (flaw.kind !== "other-protocol") continue;
          const { item } = placed;
          const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
          const options = {
            below: flaw.pointer,
            severity: refused(step.exchange),
            // A client that mixes two APIs does so everywhere, so each foreign form is one finding.
            identity: flaw.detail ?? formOf(placed),
            callIds: id === undefined ? [] : [id],
            ...(isSaidTwice(placed, flaw.pointer) && {
              fix: {
                safety: "safe" as const,
                title: "removes the copy in the other API's form, which adds nothing",
              },
            }),
          };
          if (flaw.detail === undefined) yield report("block", { role: item.role }, placed, options);
          else yield report("form", { form: flaw.detail }, placed, options);
        }
      }
    }
  },
});

/** The message also has the same call or result in this API's form. */
function isSaidTwice({ step, element }: Placed, pointer: string): boolean {
  const history = step.request?.history;
  const part = valueAt(history?.element(element).value, pointer);
  if (typeof part !== "object" || part === null) return false;
  const named = Object.values(part);
  return (
    history?.items(element).some((item) => {
      const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
      return id !== undefined && named.includes(id) && !pointer.startsWith(item.pointer);
    }) ?? false
  );
}

interface Facts {
  readonly form: string;
}
