import { createHash } from "node:crypto";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** From this length on, ids never run out. */
const sureLength = 8;

/** Makes an id that looks like a provider's: the prefix and `length` digits. */
export type NewId = (prefix: string, length: number, alphabet?: "hex" | "base62") => string;

/**
 * Returns the ids for a request with this body: hashes of the body and of the id's number in the run. So they
 * are the same in each run of the same requests. A session that a later run continues gets other ids there,
 * since a provider refuses a history with one id twice.
 * @param isTaken whether something else has an id, which is then passed over
 */
export function idSource(isTaken: (id: string) => boolean = () => false): (body: Uint8Array) => NewId {
  let count = 0;
  return (body) => {
    const seed = createHash("sha256").update(body).digest("hex");
    const next: NewId = (prefix, length, alphabet = "base62") => {
      const number = ++count;
      let digits = "";
      for (let block = 0; digits.length < length; block++) {
        const hash = createHash("sha256").update(`${seed}.${number}.${block}`).digest();
        digits +=
          alphabet === "hex" ? hash.toString("hex") : [...hash].map((byte) => base62[byte % 62]).join("");
      }
      const id = prefix + digits.slice(0, length);
      return length >= sureLength && isTaken(id) ? next(prefix, length, alphabet) : id;
    };
    return next;
  };
}
