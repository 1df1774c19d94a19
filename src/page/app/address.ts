import type { PageData } from "../data.ts";
import type { StepIndex } from "./places.ts";

/** What a page's address names: `#step=12`, `#conversation=c2&step=12`, `#finding=f3`. */
export type Addressed =
  | { readonly is: "step"; readonly place: StepIndex }
  | { readonly is: "finding"; readonly finding: number };

/** What the part of an address after `#` leads to; `null` if the page does not have it. */
export function addressed(data: PageData, hash: string): Addressed | null {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const finding = values.get("finding");
  if (finding !== null) {
    const index = data.findings.findIndex(({ id }) => id === finding);
    return index < 0 ? null : { is: "finding", finding: index };
  }
  const [id, number] = [values.get("conversation"), values.get("step")];
  if (id === null && number === null) return null;
  const conversation = id === null ? 0 : data.conversations.findIndex((each) => each.id === id);
  const steps = data.conversations[conversation]?.steps ?? [];
  const step = number === null ? 0 : steps.findIndex((each) => `${each.number}` === number);
  return steps[step] ? { is: "step", place: { conversation, step } } : null;
}

/** The address of a step; the conversation is named but for the first. */
export function addressOf(data: PageData, { conversation, step }: StepIndex): string {
  const { id, steps } = data.conversations[conversation] ?? {};
  const values = new URLSearchParams();
  if (conversation > 0 && id !== undefined) values.set("conversation", id);
  values.set("step", `${steps?.[step]?.number ?? 1}`);
  return `#${values}`;
}
