import { refusalsOf } from "../protocols/profiles/refusals.ts";
import type { ProviderError } from "../protocols/refusals.ts";
import type { InnerRequest } from "../protocols/server-side.ts";
import { type Fields, filled, isFields } from "../protocols/wire.ts";
import { parseJson } from "../reading/parse.ts";
import type { Address } from "./addresses.ts";
import type { ServedProtocol } from "./served-protocols.ts";

/** The body of a request, parsed. */
export interface ParsedBody {
  /** The JSON value; `undefined` for an empty body and for bytes that are not JSON. */
  readonly value: unknown;
  /** Its members; none if it is not an object. */
  readonly members: Fields;
  /** The request to the model; absent if the body is not an object or asks no model. */
  readonly inner?: InnerRequest;
}

export function parseBody(bytes: Buffer, { server }: ServedProtocol): ParsedBody {
  const value = bytes.length === 0 ? undefined : parseJson(bytes.toString());
  if (!isFields(value)) return { value, members: {} };
  const inner = server.requestIn ? server.requestIn(value) : { fields: value, base: "" };
  return { value, members: value, ...(inner && { inner }) };
}

/**
 * A request with the model that its address names, if it names none itself: an address may name a deployment.
 */
export function withModel(fields: Fields, model: string | undefined): Fields {
  return model === undefined || filled(fields["model"]) ? fields : { ...fields, model };
}

/** The provider's error for a body that is not a JSON object. */
export function notAnObject(bytes: Buffer, { profile, protocol }: Address): ProviderError {
  const notJson = refusalsOf(profile, protocol.name)?.notJson;
  const text = bytes.toString();
  const reason = syntaxErrorIn(text) ?? "the body is not a JSON object";
  const words = notJson?.reason?.(reason, text) ?? reason;
  return {
    status: notJson?.status ?? 400,
    message: (notJson?.text ?? "{reason}").replace("{reason}", () => words),
    type: notJson?.type,
    code: notJson?.code,
  };
}

/** What JavaScript's parser says of a text; `undefined` if it is JSON. */
function syntaxErrorIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
