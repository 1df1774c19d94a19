import type { Dice } from "../dice.ts";
import { Embedded, nodesOf, printed, Stream, type StreamEvent, slicesOf } from "../document.ts";
import { type Operator, onText } from "./operator.ts";

/** What servers, proxies and loggers do to streams of events, whose data stays as it is. */

interface Found {
  readonly stream: Stream;
  put(text: string): void;
}

const eventLine = /^(?:data|event):/m;

/** Changes a stream that a string of the log holds, or the log itself where it is one. */
const onStream =
  (change: (events: StreamEvent[], dice: Dice, others: readonly Stream[]) => string | undefined) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const found: Found[] = [];
    for (const { root } of slices)
      for (const { value } of nodesOf(root.value))
        for (const [key, each] of Object.entries(value))
          if (each instanceof Stream && eventLine.test(each.text))
            found.push({ stream: each, put: (changed) => Object.assign(value, { [key]: changed }) });
    if (found.length === 0) return eventLine.test(text) ? change(bare(text), dice, []) : undefined;
    const { stream, put } = dice.pick(found);
    const others = found.flatMap((each) => (each.stream === stream ? [] : [each.stream]));
    const changed = change(stream.events, dice, others);
    if (changed === undefined) return undefined;
    put(changed);
    return printed(text, slices);
  };

/** The events of a file that is one stream. */
const bare = (text: string): StreamEvent[] =>
  (text.match(/[\s\S]+?\n\n+|[\s\S]+$/g) ?? []).map((event) => {
    const [, head = "", json = "", tail = ""] = /^([\s\S]*?data: ?)(.*)([\s\S]*)$/.exec(event) ?? ["", event];
    return { head, value: new Embedded(json, undefined), tail };
  });

const textOf = (events: readonly StreamEvent[]): string =>
  events.map(({ head, value, tail }) => `${head}${value?.text ?? ""}${tail}`).join("");

/** Changes the text of one event. */
const onEvent = (change: (event: string, dice: Dice) => string) =>
  onStream((events, dice) => {
    const at = dice.below(events.length);
    return (
      textOf(events.slice(0, at)) +
      change(textOf(events.slice(at, at + 1)), dice) +
      textOf(events.slice(at + 1))
    );
  });

/** Changes the texts of all events in the same way. */
const onEvents = (change: (event: string, index: number, count: number) => string) =>
  onStream((events) => events.map((event, index) => change(textOf([event]), index, events.length)).join(""));

const broken = onText(
  "streams/broken",
  {
    "no blank line behind an event": onEvent((event) => event.replace(/\n+$/, "\n")),
    "no line end behind an event": onEvent((event) => event.trimEnd()),
    "a blank line before the data": onEvent((event) => event.replace(/^data:/m, "\n$&")),
    "a line feed in the data": onEvent((event, dice) => {
      const at = event.search(/^data:/m) + 8;
      const feed = dice.between(at, Math.max(at, event.trimEnd().length - 1));
      return `${event.slice(0, feed)}\n${event.slice(feed)}`;
    }),
    "an event within another one": onStream((events, dice) => {
      if (events.length < 2) return undefined;
      const at = dice.below(events.length - 1);
      const [one, two] = [textOf(events.slice(at, at + 1)), textOf(events.slice(at + 1, at + 2))];
      const cut = dice.between(8, Math.max(8, one.trimEnd().length - 1));
      return (
        textOf(events.slice(0, at)) + one.slice(0, cut) + two + one.slice(cut) + textOf(events.slice(at + 2))
      );
    }),
    "data without its name": onEvent((event) => event.replace(/^data: ?/m, "")),
  },
  { breaksOnly: true },
);

const legal = onText("streams", {
  "fields in another order": onEvents((event) => {
    const lines = event.trimEnd().split("\n");
    return `${lines.reverse().join("\n")}${event.slice(event.trimEnd().length)}`;
  }),
  "data over several lines": onEvent((event) =>
    event.replace(/^data: ?(\{.*\}) *$/m, (line, json: string) => {
      const comma = json.indexOf(',"');
      return comma < 0 ? line : `data: ${json.slice(0, comma + 1)}\ndata: ${json.slice(comma + 1)}`;
    }),
  ),
  "comments between": onEvents((event) => `: keep-alive\n\n${event}`),
  "an id for each": onEvents((event, index) => `id: ${index}\nretry: 3000\n${event}`),
  "one id for all": onEvents((event) => `id: 1\n${event}`),
  "no space behind the colon": onEvents((event) => event.replace(/^(data|event): /gm, "$1:")),
  "CR LF from the middle on": onEvents((event, index, count) =>
    index * 2 < count ? event : event.replaceAll("\n", "\r\n"),
  ),
  "CR alone": onEvents((event) => event.replaceAll("\n", "\r")),
  "no names": onEvents((event) => event.replace(/^event:.*\n/gm, "")),
  "another name": onEvent((event, dice) =>
    event.replace(/^event:.*$/m, `event: ${dice.pick(["message", "ping", "", "error", "delta"])}`),
  ),
  "the end comes early": onStream((events, dice) => {
    const at = dice.below(events.length);
    return `${textOf(events.slice(0, at))}data: [DONE]\n\n${textOf(events.slice(at))}`;
  }),
  "the end comes twice": onStream((events) => `${textOf(events)}data: [DONE]\n\ndata: [DONE]\n\n`),
  "two streams take turns": onStream((events, dice, others) => {
    const other = [...(others.length > 0 ? dice.pick(others).events : events)];
    return textOf(events.flatMap((event) => [event, ...other.splice(0, dice.between(0, 2))]).concat(other));
  }),
  "empty events": onEvents((event) => `data:\n\ndata: {}\n\n${event}`),
});

export const streamOperators: readonly Operator[] = [...broken, ...legal];
