import { createHash } from "node:crypto";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Makes ids that look like a provider's and are the same in each run: a hash of their number. */
export function idSource(): (prefix: string, length: number, alphabet?: "hex" | "base62") => string {
  let count = 0;
  return (prefix, length, alphabet = "base62") => {
    const number = ++count;
    let digits = "";
    for (let block = 0; digits.length < length; block++) {
      const hash = createHash("sha256").update(`${number}.${block}`).digest();
      digits +=
        alphabet === "hex" ? hash.toString("hex") : [...hash].map((byte) => base62[byte % 62]).join("");
    }
    return prefix + digits.slice(0, length);
  };
}
