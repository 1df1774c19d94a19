import type { Protocol } from "./protocol.ts";

/** The answers of a protocol in which nothing is sent to a provider: its messages stand only in logs. */
export const unsent = {
  paths: "unsupported",
  endpoint: "unsupported",
  idiom: "unsupported",
  answers: "unsupported",
  encode: "unsupported",
  writes: "unsupported",
  places: "unsupported",
  loadSchema: "unsupported",
  refusals: "unsupported",
  errorTexts: "unsupported",
  loadServerSide: "unsupported",
} as const satisfies Partial<Protocol>;
