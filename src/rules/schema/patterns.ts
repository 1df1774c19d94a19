import { RE2JS } from "re2js";
import { re2Syntax } from "./re2-syntax.ts";
import type { Work } from "./work.ts";

/**
 * Patterns come from logs, so they run on RE2, whose time is linear in the text by construction. What is left
 * is counted: instructions when a pattern is compiled, instructions × characters when it is run.
 */
interface Matcher {
  readonly re: RE2JS;
  readonly size: number;
  readonly length: { readonly least: number; readonly most: number } | undefined;
}

/** How many steps of work it takes to compile one instruction. */
const compileSteps = 50;
/** How many instructions run on one character in one step of work. */
const instructionsPerStep = 8;
/** A compiled pattern keeps tables that grow with the texts it reads: after this work all are dropped. */
const maxKept = 1_000;
const maxKeptWork = 1_000_000;

const compiled = new Map<string, Matcher | "unusable">();
let keptWork = 0;

/** Whether a text matches; `undefined` for a pattern that is not run. May throw when the work is spent. */
export function matches(pattern: string, text: string, work: Work): boolean | undefined {
  work.spend(1);
  if (compiled.size > maxKept || keptWork > maxKeptWork) {
    compiled.clear();
    keptWork = 0;
  }
  const matcher = compiled.get(pattern) ?? compile(pattern, work);
  if (matcher === "unusable") return undefined;
  const { re, size, length } = matcher;
  const steps = Math.ceil((size * text.length) / instructionsPerStep);
  work.spend(steps);
  if (length && !isWithin(text, length)) return false;
  keptWork += steps;
  return re.test(text);
}

function compile(pattern: string, work: Work): Matcher | "unusable" {
  work.spend(pattern.length);
  const syntax = re2Syntax(pattern);
  if (syntax) work.spend(compileSteps * syntax.size);
  let matcher: Matcher | "unusable" = "unusable";
  try {
    if (syntax) matcher = { re: RE2JS.compile(syntax.source), size: syntax.size, length: syntax.length };
  } catch {
    // RE2 refuses repetitions that multiply to more than 1000.
  }
  compiled.set(pattern, matcher);
  return matcher;
}

function isWithin(text: string, { least, most }: { readonly least: number; readonly most: number }): boolean {
  const length = characters(text);
  return length >= least && length <= most;
}

/** The number of characters, not of their halves. */
export function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) at++;
    count++;
  }
  return count;
}
