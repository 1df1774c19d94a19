import type { ReplyContext, StoredHistory } from "../protocols/server-side.ts";
import type { Fields } from "../protocols/wire.ts";
import type { Address } from "./addresses.ts";
import type { AnswerSource, AskedTurn } from "./answers/answer-source.ts";
import { elementsOf } from "./elements.ts";
import { faultyAnswer } from "./faults/apply.ts";
import type { Fault } from "./faults/fault.ts";
import type { FaultPlan } from "./faults/plan.ts";
import { type AnswerContext, type GivenAnswer, httpAnswer, written } from "./http-answers.ts";
import type { HttpAnswer } from "./http-server.ts";

/** A turn and all that its answer is made of. */
export interface AnsweredTurn {
  readonly turn: AskedTurn;
  readonly answer: GivenAnswer;
  readonly fault: Fault | undefined;
  /** The number of the request, from 1. */
  readonly request: number;
  readonly address: Address;
  readonly due: AnswerContext;
  readonly stored: StoredHistory | undefined;
}

/** The answer to a turn. What was sent to its end is stored, and is reported to the source of answers. */
export function turnAnswer(answered: AnsweredTurn, answers: AnswerSource, faults: FaultPlan): HttpAnswer {
  const { turn, answer, fault, request, address, due, stored } = answered;
  const close = (isAnswered: boolean, body: Fields | undefined): void => {
    if (body) keep(address, turn, stored, body, due.reply);
    if (isAnswered) answers.sent?.(turn);
    else answers.unsent?.(turn);
  };
  if (!fault) {
    const whole = written(answer, due);
    return httpAnswer(whole, due, (isWhole) => close(isWhole, isWhole ? whole.body : undefined));
  }
  const idle: string[] = [];
  faults.applied.push({ request, turn: turn.number, fault: fault.text, idle });
  const faulty = {
    ...due,
    protocol: address.protocol.name,
    profile: address.profile,
    idle: (why: string) => void idle.push(why),
  };
  return faultyAnswer(fault, answer, faulty, ({ isAnswered, body }) => close(isAnswered, body));
}

function keep(
  { server }: Address,
  { request }: AskedTurn,
  stored: StoredHistory | undefined,
  reply: Fields,
  context: ReplyContext,
): void {
  const [before, isPartial] = [stored?.elements.length ?? 0, stored?.isPartial ?? false];
  server.store?.({ history: elementsOf(request), before, isPartial, reply }, context);
}
