import type { ServedEvent } from "./server-side.ts";
import type { Fields } from "./wire.ts";

/** A habit of some server that breaks clients although a correct client could live with it. */
export interface Oddity {
  /** What the server does; goes on after "the server". */
  readonly summary: string;
  /** Servers that do it, with an address. */
  readonly seen: string;
  /** The stream as such a server sends it. Absent: the habit does not show in streams. */
  events?(events: readonly ServedEvent[]): readonly ServedEvent[];
  /** The whole body as such a server sends it. Absent: the habit does not show there. */
  whole?(body: Fields): Fields;
}

/** The oddities of a protocol's servers, by name. */
export type Oddities = Readonly<Record<string, Oddity>>;

/** Changes the events whose value is an object; `undefined` drops one. */
export function eachEvent(
  edit: (value: Fields, event: ServedEvent) => Fields | undefined,
): (events: readonly ServedEvent[]) => readonly ServedEvent[] {
  return (events) =>
    events.flatMap((event) => {
      if (typeof event.value !== "object" || event.value === null) return [event];
      const value = edit(event.value as Fields, event);
      return value ? [{ ...event, value }] : [];
    });
}

/** Leaves a member out. */
export function without(key: string): (value: Fields) => Fields {
  return ({ [key]: _, ...others }) => others;
}

/** The oddities of servers of any protocol whose streams are server-sent events. */
export const sseComments: Oddities = {
  comments: {
    summary: "sends comment lines between the events",
    seen: "OpenRouter, https://openrouter.ai/docs/api_reference/streaming; DeepSeek's `: keep-alive`",
    events: (events) => events.map((event) => ({ ...event, before: ": OPENROUTER PROCESSING\n\n" })),
  },
};
