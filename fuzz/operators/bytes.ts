import { type Operator, range, type Victim } from "./operator.ts";

const inserted =
  (...bytes: readonly number[]) =>
  ({ log, dice }: Victim): Buffer => {
    const at = dice.below(log.length + 1);
    return Buffer.concat([log.subarray(0, at), Buffer.from(bytes), log.subarray(at)]);
  };

const changes: Readonly<Record<string, Operator["apply"]>> = {
  "flip a bit": ({ log, dice }) => {
    const out = Buffer.from(log);
    const at = dice.below(out.length);
    out[at] = (out[at] ?? 0) ^ (1 << dice.below(8));
    return out;
  },
  "set bytes": ({ log, dice }) => {
    const out = Buffer.from(log);
    for (let times = dice.between(1, 6); times > 0; times--) out[dice.below(out.length)] = dice.below(256);
    return out;
  },
  "set structure": ({ log, dice }) => {
    const out = Buffer.from(log);
    for (let times = dice.between(1, 3); times > 0; times--)
      out[dice.below(out.length)] = dice.pick([...Buffer.from('{}[]":,\\\n 0-.#')]);
    return out;
  },
  "delete some": (victim) => {
    const [from, to] = range(victim, victim.log.length, 8);
    return Buffer.concat([victim.log.subarray(0, from), victim.log.subarray(to + 1)]);
  },
  "delete a range": (victim) => {
    const [from, to] = range(victim, victim.log.length);
    return Buffer.concat([victim.log.subarray(0, from), victim.log.subarray(to)]);
  },
  "duplicate a range": (victim) => {
    const [from, to] = range(victim, victim.log.length);
    return Buffer.concat([victim.log.subarray(0, to), victim.log.subarray(from)]);
  },
  "move a range": (victim) => {
    const { log, dice } = victim;
    const [from, to] = range(victim, log.length, 400);
    const rest = Buffer.concat([log.subarray(0, from), log.subarray(to)]);
    const at = dice.below(rest.length + 1);
    return Buffer.concat([rest.subarray(0, at), log.subarray(from, to), rest.subarray(at)]);
  },
  "insert NUL": inserted(0),
  "insert 0xFF": inserted(0xff),
  "insert a byte order mark": inserted(0xef, 0xbb, 0xbf),
  "insert an escape": inserted(0x1b, 0x5b, 0x32, 0x4a),
  "insert a surrogate in UTF-8": inserted(0xed, 0xa0, 0xbd),
  "insert an overlong slash": inserted(0xc0, 0xaf),
  "insert a control": (victim) => inserted(victim.dice.below(32))(victim),
  "cut the end": ({ log, dice }) => log.subarray(0, dice.below(log.length)),
  "cut the beginning": ({ log, dice }) => log.subarray(1 + dice.below(log.length)),
  "cut one byte": ({ log, dice }) => (dice.once(2) ? log.subarray(0, -1) : log.subarray(1)),
  splice: ({ log, dice, others }) => {
    const other = dice.pick(others).bytes;
    return Buffer.concat([log.subarray(0, dice.below(log.length)), other.subarray(dice.below(other.length))]);
  },
  "append another log": ({ log, dice, others }) => Buffer.concat([log, dice.pick(others).bytes]),
  "insert another log": ({ log, dice, others }) => {
    const at = dice.below(log.length);
    return Buffer.concat([log.subarray(0, at), dice.pick(others).bytes, log.subarray(at)]);
  },
};

export const byteOperators: readonly Operator[] = Object.entries(changes).map(([name, apply]) => ({
  name: `bytes/${name}`,
  apply,
}));
