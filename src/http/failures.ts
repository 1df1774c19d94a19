const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name cannot be looked up now",
  ETIMEDOUT: "it does not answer in time",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  EPROTO: "it does not speak TLS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "it signed its certificate itself",
};

/** Why a server gave no usable reply, in a sentence. */
export function failureOf(error: unknown, { host }: URL): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "HPE_HEADER_OVERFLOW") return `${host} replied with headers that are too long`;
  // Names of Node's parser.
  if (code.startsWith("HPE_")) return `${host} replied with something that is not HTTP (${code})`;
  return `${host} cannot be reached: ${Object.hasOwn(reasons, code) ? reasons[code] : code || message}`;
}
