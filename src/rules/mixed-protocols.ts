import { formOf, isSurelySent, newItems } from "./new-items.ts";
import { defineRule, refused } from "./rule.ts";
import { short } from "./words.ts";

export default defineRule({
  name: "mixed-protocols",
  summary: "Forms of one API inside the history of another",
  ground: "refused",
  severity: "warning",
  needs: "wire",
  messages: {
    form: ({ form }: Facts) => `\`${short(form)}\` is a form of another API than this history`,
    block: ({ role }: { readonly role: string }) =>
      `the ${role} message holds a block in the form of another API`,
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
            // A client that mixes two APIs does so everywhere: one finding for each foreign form.
            identity: flaw.detail ?? formOf(placed),
            callIds: id === undefined ? [] : [id],
          };
          if (flaw.detail === undefined) yield report("block", { role: item.role }, placed, options);
          else yield report("form", { form: flaw.detail }, placed, options);
        }
      }
    }
  },
});

interface Facts {
  readonly form: string;
}
