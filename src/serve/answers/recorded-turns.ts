import type { Step } from "../../conversation/conversation.ts";
import type { Item } from "../../conversation/item.ts";
import type { Reply } from "../../conversation/reply.ts";
import type { Run } from "../../log/open.ts";
import { protocols } from "../../protocols/index.ts";
import { supported } from "../../protocols/protocol.ts";
import type { AskedTurn } from "./answer-source.ts";
import { Point } from "./prefix-tree.ts";
import { whyMissed } from "./recorded-misses.ts";
import { type AnsweringTurn, isAnswering, outcomeOf, type RecordedTurn } from "./recorded-replies.ts";
import { type Said, type SaidIn, SaidReader, type StoredItems, saidIn } from "./said.ts";

/** The turns of logs, by what was said before them. */
export class RecordedTurns {
  /** In the order of the logs. */
  readonly all: readonly RecordedTurn[];
  /** The ids of replies and of what they say. */
  readonly ids: ReadonlySet<string>;
  private readonly stored: StoredItems;
  private readonly starts = new Map<string, Point<RecordedTurn>>();
  private readonly exactKeys = new ExactKeys();

  constructor(runs: readonly Run[]) {
    const all: RecordedTurn[] = [];
    const steps = runs.map(({ conversations }) => conversations.flatMap((each) => each.steps.filter(isTurn)));
    this.stored = storedItems(steps.flat());
    this.ids = new Set([...this.stored.keys(), ...steps.flat().flatMap(({ reply }) => idsOf(reply))]);
    for (const run of steps) {
      const ends = this.read(run);
      for (const step of run.sort((a, b) => a.exchange.position - b.exchange.position)) {
        const end = ends.get(step);
        if (!end) continue;
        const turn = { exchange: step.exchange, exactKey: end.exactKey, outcome: outcomeOf(step.exchange) };
        end.point.endings.push(turn);
        all.push(turn);
      }
    }
    this.all = all;
  }

  /** The turns with the same history, of those equal to the letter if there are any; or why there is none. */
  find(turn: AskedTurn): readonly [AnsweringTurn, ...AnsweringTurn[]] | string {
    const conversation = saidIn(turn.exchange, this.stored);
    const ways = [turn.exchange.protocol, neutral].flatMap((name) => {
      const start = this.starts.get(name);
      return start ? [start.follow(conversation)] : [];
    });
    const exactKey = this.exactKeys.find(conversation);
    const alike = ways
      .filter(({ length }) => length === conversation.length)
      .flatMap(({ point }) => point.endings.filter(isAnswering));
    const equal = alike.filter((each) => each.exactKey === exactKey);
    const [first, ...others] = equal.length > 0 ? equal : alike;
    return first ? [first, ...others] : whyMissed(conversation, ways, turn, this.starts.keys());
  }

  /** Where the history of each step ends. Parents come before their children. */
  private read(steps: readonly Step[]): ReadonlyMap<Step, Course> {
    const courses = new Map<Step, Course>();
    const ends = new Map<Step, Course>();
    for (const step of steps) {
      const course = this.courseOf(step, courses);
      courses.set(step, course);
      const end = fork(course);
      this.goOn(end, end.reader.takeResults());
      ends.set(step, end);
      if (typeof outcomeOf(step.exchange) === "string") continue;
      // What the reply says belongs to the tree, so that a miss can name it.
      const after = fork(end);
      this.goOn(after, after.reader.read({ exchange: step.exchange, part: "reply" }));
    }
    return ends;
  }

  /** The course of a step's whole history. It goes on from that of its parent where it can. */
  private courseOf(step: Step, courses: ReadonlyMap<Step, Course>): Course {
    const { exchange, request, parent, kept } = step;
    const from: SaidIn = { exchange, part: "request" };
    const before = parent && courses.get(parent);
    const start = startName(step);
    if (parent && before && start === startName(parent)) {
      const course = fork(before);
      if ((request?.links.previousReply ?? request?.links.conversation) !== undefined) {
        course.isOwn = false;
        this.goOn(course, course.reader.read({ exchange: parent.exchange, part: "reply" }));
        this.goOn(course, course.reader.read(from));
        return course;
      }
      if (before.isOwn && kept === parent.request?.history.length) {
        this.goOn(course, course.reader.read(from, kept));
        return course;
      }
    }
    const course = {
      reader: new SaidReader(this.stored),
      point: this.startOf(start),
      exactKey: 0,
      isOwn: true,
    };
    this.goOn(course, course.reader.read(from));
    return course;
  }

  private goOn(course: Course, said: Iterable<Said>): void {
    for (const each of said) {
      course.point = course.point.extend(each);
      course.exactKey = this.exactKeys.add(course.exactKey, each);
    }
  }

  private startOf(name: string): Point<RecordedTurn> {
    let start = this.starts.get(name);
    if (!start) {
      start = new Point();
      this.starts.set(name, start);
    }
    return start;
  }
}

/** How far a conversation was read. */
interface Course {
  readonly reader: SaidReader;
  point: Point<RecordedTurn>;
  exactKey: number;
  /** The request has all of it: nothing is stored by the server. */
  isOwn: boolean;
}

function fork(course: Course): Course {
  return { ...course, reader: course.reader.copy() };
}

function isTurn({ exchange, request }: Step): boolean {
  return request !== undefined && !request.isCut && exchange.purpose === undefined;
}

/** Stands for the protocols that nobody asks a server in: what sessions and tracers write. */
const neutral = "";

const served = new Set(
  protocols.filter(({ loadServerSide }) => supported(loadServerSide)).map(({ name }) => name),
);

function startName({ exchange: { protocol } }: Step): string {
  return served.has(protocol) ? protocol : neutral;
}

/** The items of all replies that have ids of their own. */
function storedItems(steps: readonly Step[]): StoredItems {
  const stored = new Map<string, Item>();
  for (const { reply } of steps)
    for (const item of reply?.items ?? []) {
      const id = "itemId" in item ? item.itemId : item.kind === "reasoning" ? item.id : undefined;
      if (id !== undefined) stored.set(id, item);
    }
  return stored;
}

function idsOf(reply: Reply | undefined): readonly string[] {
  const calls = reply?.items.flatMap((item) => (item.kind === "call" ? (item.id ?? []) : [])) ?? [];
  return reply?.id === undefined ? calls : [reply.id, ...calls];
}

/** Short keys for all that was said, to the letter. The empty conversation has the key 0. */
class ExactKeys {
  private readonly keys = new Map<string, number>();

  /** The key of a recorded conversation that goes on. */
  add(before: number, { exactKey }: Said): number {
    const step = `${before} ${exactKey}`;
    const key = this.keys.get(step) ?? this.keys.size + 1;
    this.keys.set(step, key);
    return key;
  }

  /** The key of an equal recorded conversation; `undefined` if there is none. */
  find(conversation: readonly Said[]): number | undefined {
    let key: number | undefined = 0;
    for (const { exactKey } of conversation) {
      key = this.keys.get(`${key} ${exactKey}`);
      if (key === undefined) return undefined;
    }
    return key;
  }
}
