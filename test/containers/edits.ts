import { expect } from "vitest";
import { type BodyEdit, type WrittenLog, writeBack } from "../../src/containers/write/write-back.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";
import { open } from "./stories.ts";

export type EditsByNumber = Readonly<Record<number, readonly BodyEdit[]>>;

/** The log with these edits of its nth request, counted from 1. */
export async function edited(log: string | Buffer, edits: EditsByNumber): Promise<WrittenLog> {
  const { source, lengths, exchanges } = await open(log);
  const changes = Object.entries(edits).map(([number, list]) => {
    const { request, session } = exchanges[Number(number) - 1] ?? {};
    return { place: request?.place as PayloadPlace, edits: list, session, copies: request?.copies };
  });
  return writeBack(source, changes, { lengths });
}

export async function written(log: string, edits: EditsByNumber): Promise<string> {
  const { bytes, refused } = await edited(log, edits);
  expect(refused).toEqual([]);
  return bytes.toString("utf8");
}
