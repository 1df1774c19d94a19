import { type Exchange, type History, turnsAmong } from "../conversation/exchange.ts";
import { contentOf } from "../conversation/identity.ts";
import type { LogFile } from "./log-file.ts";

/** How many requests to compare at the start of a file: side requests may intervene. */
const mostBeginnings = 3;
/** How many turns to compare at the end of a run: several conversations may be logged in parallel. */
export const mostEnds = 4;

/** What decides which run a file belongs to: what it is, and the turns at both of its ends. */
export interface FileEnds {
  readonly path: string;
  readonly container: string;
  readonly isLogOfProgram: boolean;
  readonly kind: "requests" | "transcript";
  readonly session?: { readonly id: string; readonly isSubAgent: boolean };
  /** How many exchanges it has. */
  readonly exchanges: number;
  /** The time of the first exchange; absent when the log does not say. */
  readonly time?: number;
  readonly first: EndTurn | undefined;
  readonly last: EndTurn | undefined;
  /** The first turns, in order. */
  readonly oldest: readonly EndTurn[];
  /** The last turns, in order. */
  readonly newest: readonly EndTurn[];
}

/** One exchange at an end of a file. */
export interface EndTurn {
  readonly protocol: string;
  /** Absent without a request. */
  readonly history: EndHistory | undefined;
  /** The id of the earlier reply that the request names. */
  readonly previousReply: string | undefined;
  readonly replyId: string | undefined;
  /** The identity of each item of the reply. */
  readonly said: readonly string[];
  /** The ids of the reply's calls, where a server assigned them. */
  readonly calls: readonly string[];
}

/** A history as far as runs depend on it. */
export interface EndHistory {
  readonly length: number;
  /** The identity of each element: equal for elements that a model reads alike. */
  readonly elements: readonly string[];
  /** The model has spoken in it. */
  readonly hasSpeech: boolean;
  /** The index of the first element of the user; -1 if there is none. */
  readonly firstOfUser: number;
  /** The identity of each item. */
  readonly items: readonly string[];
  /** The ids of calls and of the calls that results answer, where a server assigned them. */
  readonly calls: readonly string[];
}

/** The ends of a file that is open; each part is made when it is first asked for. */
export function endsOf(file: LogFile): FileEnds {
  const { path, container, isLogOfProgram, kind, session, exchanges } = file;
  const turns = new Map<Exchange, EndTurn>();
  const turnOf = (exchange: Exchange): EndTurn => {
    const known = turns.get(exchange) ?? new OpenTurn(exchange);
    turns.set(exchange, known);
    return known;
  };
  const [first] = exchanges;
  const last = exchanges.at(-1);
  const among = turnsAmong(exchanges);
  return {
    path,
    container,
    isLogOfProgram,
    kind,
    ...(session && { session: { id: session.id, isSubAgent: session.isSubAgent } }),
    exchanges: exchanges.length,
    ...(first?.time !== undefined && { time: first.time }),
    first: first && turnOf(first),
    last: last && turnOf(last),
    oldest: among.slice(0, mostBeginnings).map(turnOf),
    newest: among.slice(-mostEnds).map(turnOf),
  };
}

/** Ids assigned by servers. Shorter or counted ones come from tests and recur. */
const ownId = /^(?=.*[A-Za-z])(?=.*\d)[\w-]{12,}$/;

class OpenTurn implements EndTurn {
  readonly #exchange: Exchange;
  readonly history: EndHistory | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.history = exchange.request && new OpenHistory(exchange.request.history);
  }

  get protocol(): string {
    return this.#exchange.protocol;
  }

  get previousReply(): string | undefined {
    return this.#exchange.request?.links.previousReply;
  }

  get replyId(): string | undefined {
    return this.#exchange.reply?.id;
  }

  get said(): string[] {
    return (this.#exchange.reply?.items ?? []).map(contentOf);
  }

  get calls(): string[] {
    return (this.#exchange.reply?.items ?? []).flatMap((item) =>
      item.kind === "call" && item.id !== undefined && ownId.test(item.id) ? item.id : [],
    );
  }
}

class OpenHistory implements EndHistory {
  readonly #history: History;
  #elements: string[] | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  get length(): number {
    return this.#history.length;
  }

  get elements(): readonly string[] {
    this.#elements ??= Array.from({ length: this.length }, (_, index) =>
      [this.#history.role(index), ...this.#history.items(index).map(contentOf)].join("\u0000"),
    );
    return this.#elements;
  }

  get hasSpeech(): boolean {
    return this.#indexOf("assistant") >= 0;
  }

  get firstOfUser(): number {
    return this.#indexOf("user");
  }

  get items(): string[] {
    return Array.from({ length: this.length }, (_, index) =>
      this.#history.items(index).map(contentOf),
    ).flat();
  }

  get calls(): string[] {
    return Array.from({ length: this.length }, (_, index) =>
      this.#history.items(index).flatMap((item) => {
        const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
        return id !== undefined && ownId.test(id) ? id : [];
      }),
    ).flat();
  }

  #indexOf(role: string): number {
    for (let index = 0; index < this.length; index++) if (this.#history.role(index) === role) return index;
    return -1;
  }
}
