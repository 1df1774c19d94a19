import { oddities } from "../../protocols/oddities.ts";
import { nearest } from "../../rules/requests/nearest.ts";
import type { Fault, PlannedFault } from "./fault.ts";
import { anyStatus, type FaultKind, faultKinds, statusFault } from "./kinds.ts";

/** A fault that nobody can plan; the message is a sentence for the user. */
export class FaultError extends Error {
  override readonly name = "FaultError";
}

const forTurns = "a fault begins with the number of a turn, as in `3:429`, `2-4:529` or `*:slow=50ms`";

/** Reads a fault for certain turns: `3:429,retry-after=2`, `2-4:529`, `*:cut@5`. Throws a `FaultError`. */
export function parseFault(text: string): PlannedFault {
  const colon = text.indexOf(":");
  if (colon < 0) throw new FaultError(`\`${text}\` does not name a turn: ${forTurns}`);
  const turns = text.slice(0, colon).trim();
  const fault = parseKinds(text.slice(colon + 1));
  if (turns === "*") return { text, first: 1, last: Number.POSITIVE_INFINITY, fault };
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(turns) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (!(first >= 1)) throw new FaultError(`\`${turns}\` is not a turn; turns count from 1: ${forTurns}`);
  if (last < first) throw new FaultError(`the turns \`${turns}\` are reversed: write \`${to}-${from}\``);
  return { text, first, last, fault };
}

/** Reads what goes wrong, without turns: `429,retry-after=2`, `no-done,slow=50ms`. Throws a `FaultError`. */
export function parseKinds(text: string): Fault {
  let fault: Fault = { text: text.trim() };
  /** The word that has set a member of the fault. */
  const setBy = new Map<keyof Fault, string>();
  for (const word of text.split(",").map((each) => each.trim())) {
    const members = read(word);
    for (const member of Object.keys(members) as (keyof Fault)[]) {
      const other = setBy.get(member);
      if (other !== undefined && member !== "oddities")
        throw new FaultError(`\`${other}\` and \`${word}\` exclude each other: keep one of them`);
      setBy.set(member, word);
    }
    fault = { ...fault, ...members, ...joinedOddities(fault, members) };
  }
  const { instead } = fault;
  for (const member of ["retryAfterMs", "isHtml"] as const)
    if (setBy.has(member) && instead?.kind !== "status")
      throw new FaultError(`\`${setBy.get(member)}\` needs a status, as in \`${exampleOf(member)}\``);
  const useless = [...setBy].find(([member]) => instead && !beforeContent.has(member));
  if (useless)
    throw new FaultError(
      `after \`${setBy.get("instead")}\` there is nothing left that \`${useless[1]}\` could change`,
    );
  return fault;
}

const beforeContent: ReadonlySet<keyof Fault> = new Set(["instead", "retryAfterMs", "isHtml", "delayMs"]);

function joinedOddities(before: Fault, { oddities: names }: Omit<Fault, "text">): Pick<Fault, "oddities"> {
  return names ? { oddities: [...(before.oddities ?? []), ...names] } : {};
}

function exampleOf(member: keyof Fault): string {
  return faultKinds.find(({ sets }) => sets.includes(member))?.examples[0] ?? "429";
}

function read(word: string): Omit<Fault, "text"> {
  const status = statusFault(word);
  if (status) return status;
  if (/^\d+$/.test(word)) throw new FaultError(`\`${word}\` is not an error status: use 400 to 599`);
  const [, name = "", at, value] = /^([^@=]*)(?:@([^=]*))?(?:=(.*))?$/s.exec(word) ?? [];
  const kind = faultKinds.find((each) => each.name === name);
  if (kind) return kind.read(at, value) ?? misread(word, kind);
  if (Object.values(oddities).some((own) => Object.hasOwn(own, name))) {
    if (at === undefined && value === undefined) return { oddities: [name] };
    throw new FaultError(`\`${word}\` is not understood: write \`${name}\``);
  }
  const [, withoutTurn] = /^[\d*-]{1,20}:(.+)$/s.exec(word) ?? [];
  if (withoutTurn !== undefined)
    throw new FaultError(`\`${word}\` names a turn, which is already given here: write \`${withoutTurn}\``);
  const meant = nearest(name, faultNames());
  if (word !== "" && meant !== undefined)
    throw new FaultError(`\`${word}\` is not a fault; did you mean \`${meant}\`?`);
  const list = `choose from ${faultNames().join(", ")}`;
  throw new FaultError(word === "" ? `a fault is missing; ${list}` : `\`${word}\` is not a fault; ${list}`);
}

function misread(word: string, { examples }: FaultKind): never {
  const ways = examples.map((example) => `\`${example}\``).join(" or ");
  throw new FaultError(`\`${word}\` is not understood: write ${ways}`);
}

function faultNames(): string[] {
  const odd = Object.values(oddities).flatMap((own) => Object.keys(own));
  return [
    ...new Set([
      ...faultKinds.map(({ name, examples }) => (name === anyStatus ? examples[0] : name)),
      ...odd,
    ]),
  ];
}
