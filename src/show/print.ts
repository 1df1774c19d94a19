import picocolors from "picocolors";
import { listed } from "../reporters/layout.ts";
import { ranges } from "../reporters/numbers.ts";
import { masked, printable, visible } from "../reporters/visible.ts";
import { cut, widthOf, wrap } from "../reporters/width.ts";
import type {
  ShownConversation,
  ShownItem,
  ShownLog,
  ShownRepeat,
  ShownReply,
  ShownRequest,
  ShownStep,
} from "./shown.ts";
import { countText, durationText, relationText, sizeText, stopText, tokensText } from "./words.ts";

/** How a log is printed. */
export interface ShowStyle {
  readonly color: boolean;
  readonly width: number;
  /** Write credentials as they are. */
  readonly showValues: boolean;
  /** Write texts to their end instead of one line each. */
  readonly isFull: boolean;
}

/** The log for people, line by line: its conversations, and what each step sent, lost and got back. */
export function* printed(log: ShownLog, style: ShowStyle): Generator<string> {
  const printer = new Printer(style);
  yield* printer.log(log);
}

/** Columns of what an item is; its text begins behind them. */
const labelWidth = 15;
/** Lines of one kind in one step that are printed; the rest is counted. */
const most = 30;

type Mark = "new" | "call" | "result" | "gone" | "changed" | "missing";

const signs: Readonly<Record<Mark, string>> = {
  new: " ",
  call: "▸",
  result: "◂",
  gone: "−",
  changed: "~",
  missing: "!",
};

class Printer {
  private readonly style: ShowStyle;
  private readonly paint: ReturnType<typeof picocolors.createColors>;

  constructor(style: ShowStyle) {
    this.style = style;
    this.paint = picocolors.createColors(style.color);
  }

  *log({ file, conversations }: ShownLog): Generator<string> {
    const { width } = this.style;
    const parts = [
      this.safe(file.path),
      file.container,
      file.protocols.join(", "),
      countText(file.exchanges, "exchange"),
      countText(file.conversations, "conversation"),
    ];
    if (file.kind === "transcript") parts.push("a transcript: each item once, not what was sent");
    yield* listed(parts, width);
    if (conversations.length > 1) {
      yield "";
      yield* this.contents(conversations);
    }
    for (const conversation of conversations) {
      yield "";
      yield* this.conversation(conversation, conversations.length > 1 || file.conversations > 1);
    }
  }

  /** The table of conversations. */
  private *contents(conversations: readonly ShownConversation[]): Generator<string> {
    const rows = conversations.map(({ name, totals, steps, opening }) => [
      name,
      steps[0] === undefined ? "" : `${steps[0].exchange}`,
      `${totals.steps}`,
      `${totals.calls}`,
      this.safe(oneLine(opening ?? "(no user message)")),
    ]);
    const head = ["", "from exchange", "steps", "calls", "begins with"];
    const widths = head.map((title, column) =>
      Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
    );
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, column) =>
          column === 4
            ? cell
            : column === 0
              ? cell.padEnd(widths[0] ?? 0)
              : cell.padStart(widths[column] ?? 0),
        )
        .join("  ");
    yield this.paint.dim(cut(line(head), this.style.width));
    for (const row of rows) yield cut(line(row), this.style.width);
  }

  private *conversation(
    { name, protocol, totals, steps, repeats }: ShownConversation,
    isNamed: boolean,
  ): Generator<string> {
    const parts = [
      protocol,
      countText(totals.steps, "step"),
      countText(totals.turns, "turn"),
      countText(totals.calls, "call"),
    ];
    if (totals.tokens) parts.push(tokensText(totals.tokens));
    if (totals.durationMs !== null) parts.push(durationText(totals.durationMs));
    const [first = "", ...rest] = listed(isNamed ? [name, ...parts] : parts, this.style.width);
    yield this.paint.bold(first);
    yield* rest;
    let model: string | null = null;
    for (const step of steps) {
      yield* this.step(step, step.model !== model ? step.model : null);
      model = step.model ?? model;
    }
    if (repeats.length > 0) {
      yield "";
      yield this.paint.bold("Repeated");
      for (const repeat of repeats.slice(0, most)) yield* this.repeat(repeat);
      if (repeats.length > most) yield `   … and ${repeats.length - most} more`;
    }
  }

  private *step(step: ShownStep, model: string | null): Generator<string> {
    const { request, reply } = step;
    const what = request ? (reply ? "request → reply" : "request, no reply") : "reply without request";
    const parts = [
      ...(model === null ? [] : [this.safe(model)]),
      ...relationText(step),
      ...(request ? [countsText(request, step)] : []),
      ...(step.isAborted ? ["aborted"] : []),
      ...(step.status !== null && step.status >= 400 ? [`HTTP ${step.status}`] : []),
      ...(reply ? this.replyWords(reply) : []),
      ...(step.durationMs === null ? [] : [durationText(step.durationMs)]),
    ];
    const places = [request && `:${request.line}`, reply && `:${reply.line}`].filter(Boolean).join(" → ");
    const head = `${String(step.exchange).padEnd(3)}${what}`.padEnd(19).concat("  ");
    yield this.aligned(head, parts.filter(Boolean).join(" · "), places, this.paint.bold);
    if (request) yield* this.request(request);
    if (reply) yield* this.reply(reply);
  }

  private replyWords({ stop, state, tokens, error }: ShownReply): string[] {
    const words = stop ? [stopText(stop.meaning, this.safe(stop.reason))] : [];
    if (!error && state === "open") words.push("cut off: the stream has no end");
    if (tokens) words.push(tokensText(tokens));
    return words;
  }

  private *request({
    system,
    tools,
    added,
    gone,
    loss,
    changed,
    moved,
    unanswered,
  }: ShownRequest): Generator<string> {
    if (system === null) yield* this.entry("gone", "system", "the system prompt is gone", "");
    else if (system !== undefined) yield* this.entry("new", "system", system, "");
    if (tools === null) yield* this.entry("gone", "tools", "no tools are offered any more", "");
    else if (tools !== undefined) yield* this.entry("new", "tools", toolsText(tools), "");
    const isGrave = loss === "current-turn" || loss === "older-turns";
    yield* this.limited(gone, (item) => this.item(item, "gone", isGrave ? "gone" : "left out"));
    yield* this.limited(added, (item) => this.item(item, item.kind === "result" ? "result" : "new"));
    for (const { what, before, after } of changed.slice(0, most)) {
      yield* this.entry("changed", "changed", `${what} was: ${before.text}`, `:${before.line}`);
      yield* this.entry("changed", "", `${what} is:  ${after.text}`, `:${after.line}`);
    }
    yield* this.limited(moved, (item) => this.item(item, "changed", "moved"));
    yield* this.limited(unanswered, (item) => this.item(item, "missing", "no result"));
  }

  private *reply({ items, error }: ShownReply): Generator<string> {
    yield* this.limited(items, (item) =>
      this.item(item, item.kind === "call" ? "call" : item.kind === "result" ? "result" : "new"),
    );
    if (error)
      yield* this.entry(
        "missing",
        "error",
        [error.type, error.code, error.message].filter(Boolean).join(": "),
        "",
      );
  }

  private *limited(
    items: readonly ShownItem[],
    print: (item: ShownItem) => Iterable<string>,
  ): Generator<string> {
    const shown = this.style.isFull ? items : items.slice(0, most);
    for (const item of shown) yield* print(item);
    if (items.length > shown.length) yield `     … and ${items.length - shown.length} more`;
  }

  private *item(item: ShownItem, mark: Mark, label?: string): Generator<string> {
    const { kind, role, text, tool, callId, remarks, line } = item;
    const own = kind === "message" ? role : kind;
    const words = [
      ...(label === undefined ? [] : [own]),
      ...(tool === undefined ? [] : [tool]),
      ...(kind === "message" || kind === "result" || kind === "reasoning" ? [text || "(no text)"] : [text]),
    ].join(" ");
    const right = [...remarks, ...(callId === undefined ? [] : [this.shortId(callId)]), `:${line}`];
    yield* this.entry(mark, label ?? own, words, right.join("  "));
  }

  /** One entry: what it is, what it says, and on the right what else is to be known. */
  private *entry(mark: Mark, label: string, text: string, right: string): Generator<string> {
    const { dim, red, yellow, cyan, green } = this.paint;
    const colors = {
      new: (same: string) => same,
      call: cyan,
      result: green,
      gone: red,
      changed: yellow,
      missing: red,
    };
    const head = `   ${signs[mark]} ${label}`.padEnd(labelWidth);
    if (!this.style.isFull) {
      yield this.aligned(head, this.shortened(text), right, colors[mark]);
      return;
    }
    const room = Math.max(20, this.style.width - labelWidth);
    let lead = colors[mark](head);
    for (const row of (this.style.showValues ? text : masked(text)).split("\n")) {
      const clean = visible(row.replaceAll("\t", "  "));
      for (const { start, end } of wrap(clean, room)) {
        yield `${lead}${clean.slice(start, end)}`.trimEnd();
        lead = " ".repeat(labelWidth);
      }
    }
    if (right) yield `${" ".repeat(labelWidth)}${dim(visible(right))}`;
  }

  /** Text as one line: white space is one space, and a long text ends in its size. */
  private shortened(text: string): string {
    // Nothing behind the widest line is looked at.
    const start = this.safe(oneLine(text.slice(0, this.style.width * 4 + 256)));
    const isWhole = text.length <= this.style.width && widthOf(start) <= this.style.width - labelWidth - 16;
    return isWhole ? start : `${start}\u0000${sizeText(text)}`;
  }

  /** A head, a text cut to what is left, and something at the right end. */
  private aligned(head: string, text: string, right: string, color: (text: string) => string): string {
    const { width } = this.style;
    const safeRight = cut(visible(right), Math.max(8, width >> 1));
    const room = width - widthOf(head) - (safeRight ? widthOf(safeRight) + 2 : 0);
    const [start = "", size] = text.split("\u0000");
    const isWhole = widthOf(start) <= room;
    const fitted = isWhole
      ? start
      : size === undefined
        ? cut(start, room)
        : `${cut(start, room - size.length - 1)} ${size}`;
    const gap = safeRight
      ? " ".repeat(Math.max(2, width - widthOf(head) - widthOf(fitted) - widthOf(safeRight)))
      : "";
    return `${color(head)}${fitted}${gap}${safeRight && this.paint.dim(safeRight)}`.trimEnd();
  }

  private *repeat({ calls, exchanges, results, cost }: ShownRepeat): Generator<string> {
    const parts = [`${exchanges.length} times`, `replies ${ranges(exchanges)}`];
    if (results > 0) parts.push(results === 1 ? "always the same result" : `${results} different results`);
    const costs = [countText(exchanges.length - 1, "request")];
    if (cost.tokens !== null) costs.push(`${cost.tokens.toLocaleString("en")} tokens`);
    if (cost.durationMs !== null) costs.push(durationText(cost.durationMs));
    yield* this.entry("call", "call", calls.map((call) => `${call.tool} ${call.arguments}`).join(", "), "");
    for (const line of listed([...parts, `cost ${costs.join(", ")}`], this.style.width - labelWidth))
      yield `${" ".repeat(labelWidth)}${line}`;
  }

  private shortId(id: string): string {
    return this.style.isFull || id.length <= 16 ? id : `${id.slice(0, 12)}…${id.slice(-3)}`;
  }

  private safe(text: string): string {
    return printable(text, this.style.showValues);
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function toolsText(tools: readonly string[]): string {
  const names = tools.filter((name) => name !== "");
  return names.length > 0 ? names.join(", ") : tools.length > 0 ? `${tools.length} without names` : "none";
}

function countsText({ added, gone, length }: ShownRequest, { relation }: ShownStep): string {
  if (relation === "start") return `${countText(length, "item")} sent`;
  if (relation === "retry" || relation === "repeat") return "";
  const parts = [added.length > 0 && `+ ${added.length}`, gone.length > 0 && `− ${gone.length}`].filter(
    Boolean,
  );
  if (parts.length === 0) return "nothing new";
  return `${parts.join(" ")} ${added.length + gone.length === 1 ? "item" : "items"}`;
}
