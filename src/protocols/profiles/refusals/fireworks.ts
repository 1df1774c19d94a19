import { valueAt } from "../../../reading/pointer.ts";
import { bracketed, type RefusalFacts, type RefusalText } from "../../refusals.ts";
import { valueText } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

const inTools = /^\/tools\/\d+\/\w+$/;

/** The place as it writes it, and what stands there. */
const offence = ({ body, pointer }: RefusalFacts) => ({
  field: bracketed(pointer),
  given: valueText(valueAt(body, pointer)),
});

/**
 * It lists all errors at once.
 * @see https://github.com/earendil-works/pi/issues/3854
 * @see https://github.com/boldsoftware/shelley/issues/242
 */
const texts: readonly RefusalText[] = [
  {
    rule: "invalid-request",
    kinds: ["together"],
    stage: "shape",
    fits: ({ pointer }) => inTools.test(pointer) && pointer.endsWith("/type"),
    text: "1 request validation errors: Input should be 'function', 'web_search_preview' or 'code_interpreter', field: '{field}', value: '{given}'",
    values: offence,
  },
  {
    rule: "invalid-request",
    kinds: ["together"],
    stage: "shape",
    fits: ({ pointer }) => inTools.test(pointer),
    text: "1 request validation errors: Extra inputs are not permitted, field: '{field}'",
    values: offence,
  },
];

export const fireworksRefusals: ProfileRefusals = {
  anthropic: {
    texts,
    errorBody: ({ message, type = "invalid_request_error" }) => ({ error: { type, message } }),
  },
};
