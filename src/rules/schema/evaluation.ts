import { type Fields, isFields } from "../../reading/values.ts";
import { type Evaluation, type Fit, isOver, type Meeting, maxViolations, worse } from "./fit.ts";
import { matches } from "./patterns.ts";
import { planOf } from "./plan.ts";
import { type Base, baseOf, opensBase } from "./references.ts";
import type { Place, Violation } from "./violations.ts";
import type { Work } from "./work.ts";

/** Schemas within schemas, references included. Each level takes four calls on the stack. */
const maxDepth = 200;
/** The steps of work that it takes to describe a violation. */
const violationSteps = 30;

/**
 * Follows a schema through a value and counts each step, so nothing in a log decides about the work. It never
 * rejects what the schema accepts: what it does not follow, it accepts, and notes. It reads the drafts 03 to
 * 2020-12 and OpenAPI's words side by side.
 */
export class SchemaEvaluation implements Evaluation {
  readonly work: Work;
  private depth = 0;
  private firstNote: string | undefined;

  constructor(work: Work) {
    this.work = work;
  }

  /** Why a part of the schema was not followed, in words that continue "the schema of `tool` …". */
  get unfollowed(): string | undefined {
    return this.firstNote;
  }

  note(words: string): "unknown" {
    this.firstNote ??= words;
    return "unknown";
  }

  /** Holds a value against a schema. Throws when the work is spent; violations added until then hold. */
  evaluate(schema: unknown, value: unknown, place: Place, base: Base, into?: Violation[]): Fit {
    this.work.spend(1);
    if (schema === true || !isFields(schema)) {
      if (schema !== false) return schema === true ? "fits" : "unknown";
      return this.reject(into, { kind: "unknown", place, value, wanted: "nothing" });
    }
    if (this.depth >= maxDepth) return this.note("is too deep to follow");
    this.depth++;
    const own = opensBase(schema) ? baseOf(schema, base) : base;
    const verdict = this.follow({ schema, value, place, base: own, into });
    this.depth--;
    return verdict;
  }

  private follow(meeting: Meeting): Fit {
    const { schema, value, base } = meeting;
    if (value === null && schema["nullable"] === true) return "fits";
    const { keywords, reference, isWhole, lacking } = planOf(schema, this.work);
    if (reference && base.ignoresSiblings) return worse(reference(this, meeting), "unknown");
    if (lacking !== undefined) this.note(`uses \`${lacking}\`, which is not followed`);
    let all: Fit = isWhole ? "fits" : "unknown";
    for (const keyword of keywords) {
      all = worse(all, keyword(this, meeting));
      if (isOver(all, meeting)) break;
    }
    return all;
  }

  same({ value, place, base }: Meeting, schema: unknown, into?: Violation[]): Fit {
    return this.evaluate(schema, value, place, base, into);
  }

  member({ value, place, base, into }: Meeting, key: string | number, schema: unknown): Fit {
    return this.evaluate(schema, (value as Fields)[key], { outer: place, key }, base, into);
  }

  keysOf(object: Fields): readonly string[] {
    const keys = Object.keys(object);
    this.work.spend(keys.length);
    return keys;
  }

  isMatch(pattern: unknown, text: string): boolean | undefined {
    if (typeof pattern !== "string") return undefined;
    const isMatch = matches(pattern, text, this.work);
    if (isMatch === undefined) this.note(`has a pattern that is not run: \`${pattern.slice(0, 60)}\``);
    return isMatch;
  }

  reject(into: Violation[] | undefined, violation: Violation): "fails" {
    if (into && into.length < maxViolations) {
      this.work.spend(violationSteps);
      into.push(violation);
    }
    return "fails";
  }
}
