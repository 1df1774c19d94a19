import type { ProviderError } from "../refusals.ts";

const type = "invalid_request_error";

/** @see https://github.com/maximhq/bifrost/issues/2441 */
export function previousNotFound(id: string): ProviderError {
  return {
    status: 400,
    message: `Previous response with id '${id}' not found.`,
    type,
    code: "previous_response_not_found",
    param: "previous_response_id",
  };
}

/** @see https://github.com/jlcodes99/cockpit-tools/issues/2090 */
export function wrongPrefix(param: string, id: string, prefix: string): ProviderError {
  return {
    status: 400,
    message: `Invalid '${param}': '${id}'. Expected an ID that begins with '${prefix}'.`,
    type,
    code: "invalid_value",
    param,
  };
}

/** @see https://github.com/router-for-me/CLIProxyAPI/issues/2381 */
export function itemNotFound(id: string, wasUnstored: boolean): ProviderError {
  const advice = wasUnstored
    ? " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
    : "";
  return { status: 404, message: `Item with id '${id}' not found.${advice}`, type, param: "input" };
}

/** An object of the API that an address names. */
export function objectNotFound(kind: "Response" | "Conversation" | "Item", id: string): ProviderError {
  return { status: 404, message: `${kind} with id '${id}' not found.`, type };
}

/** @see https://github.com/vllm-project/vllm/issues/57999 */
export const notInBackground: ProviderError = {
  status: 400,
  message: "Cannot cancel a synchronous response.",
  type,
};

export function wrongAddress(method: string, pathname: string): ProviderError {
  return { status: 404, message: `Invalid URL (${method} ${pathname})`, type };
}
