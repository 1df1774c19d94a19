import type { StoredItems } from "../endpoint.ts";
import { fields, filled, isFields } from "../wire.ts";

/** What the Responses API stores for its clients, and how to make a history independent of it. */
export const storedItems: StoredItems = {
  referenceOf(element) {
    const { type, id, ...rest } = fields(element);
    const isReference = type === "item_reference" || (type === undefined && Object.keys(rest).length === 0);
    return isReference ? filled(id) : undefined;
  },

  idOf: (element) => filled(fields(element)["id"]),

  // An id is valid only on its own server. Reasoning is either sealed inside the item or stored there.
  portable(element) {
    if (!isFields(element)) return [element];
    const { id, ...rest } = element;
    if (rest["type"] === "reasoning") return rest["encrypted_content"] ? [element] : [];
    return id === undefined || rest["type"] === undefined ? [element] : [rest];
  },

  linkKey: "previous_response_id",
};
