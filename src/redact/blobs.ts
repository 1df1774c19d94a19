import { createCipheriv, createHmac } from "node:crypto";

/** Beginnings of files in base64 that say what they are: pictures, sound, documents, archives. */
const beginnings =
  /^(?:iVBORw0KGgo|\/9j\/|R0lGOD(?:lh|dh)?|UklGR|JVBERi0|UEsDB|SUQz|T2dnUw|Qk0|AAAA\w{4}Z0eXA|PHN2Zy|GkXfo|fLaC)/;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Makes noise of base64: as long, with its beginning if that says what it is, and equal for equal texts. */
export class Noise {
  readonly #key: Buffer;

  constructor(key: Uint8Array) {
    this.#key = createHmac("sha256", key).update("noise").digest();
  }

  of(run: string): string {
    const kept = beginnings.exec(run)?.[0].length ?? 0;
    const seed = createHmac("sha256", this.#key).update(run).digest();
    const stream = createCipheriv("aes-256-ctr", seed, Buffer.alloc(16)).update(Buffer.alloc(run.length));
    const characters: string[] = [run.slice(0, kept)];
    // The bits that fill up the last character stay, or a strict reader would refuse it.
    const last = run.replace(/={1,2}$/, "").length - 1;
    for (let at = kept; at < run.length; at++) {
      const character = run.charAt(at);
      const isOther = at < last && /[A-Za-z0-9]/.test(character);
      characters.push(isOther ? alphabet.charAt((stream[at] ?? 0) % alphabet.length) : character);
    }
    return characters.join("");
  }

  /** Other figures, at least as far as they tell anything: a number keeps its length and a first zero. */
  ofFigures(numbers: string): string {
    const seed = createHmac("sha256", this.#key).update(numbers.replace(/\s+/g, "")).digest();
    const count = numbers.match(/\d/g)?.length ?? 0;
    const stream = createCipheriv("aes-256-ctr", seed, Buffer.alloc(16)).update(Buffer.alloc(count));
    let at = 0;
    return numbers.replace(/\d+/g, (run) =>
      Array.from(run, (figure, place) => {
        const drawn = stream[at++] ?? 0;
        if (place > 0 || run.length === 1) return String(drawn % 10);
        // Bytes have no number beyond 255.
        return figure === "0" || run.length === 3 ? figure : String(1 + (drawn % 9));
      }).join(""),
    );
  }
}

/** Whether a run of the characters of base64 is encoded data, and no path or name. */
export function isBlob(run: string): boolean {
  if (run.length < 40) return false;
  if (beginnings.test(run)) return true;
  const head = run.slice(0, 400);
  const share = (class_: RegExp): number => (head.match(class_)?.length ?? 0) / head.length;
  return share(/[A-Z]/g) > 0.15 && share(/[a-z]/g) > 0.15 && share(/\d/g) > 0.05;
}
