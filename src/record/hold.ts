import type { Readable } from "node:stream";

/** The beginning of a body. */
export interface HeldBody {
  readonly body: Buffer;
  /** It is all of it; otherwise the rest is still to come from the request. */
  readonly isWhole: boolean;
}

/** Reads a request's body up to about `limit` bytes. Never rejects: a client that leaves sends no more. */
export function hold(request: Readable, limit: number): Promise<HeldBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (isWhole: boolean): void => {
      request.off("data", add).off("end", end).off("close", leave);
      request.pause();
      resolve({ body: Buffer.concat(chunks), isWhole });
    };
    const add = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) done(false);
    };
    const end = (): void => done(true);
    const leave = (): void => done(false);
    request.on("data", add).on("end", end).on("close", leave);
  });
}
