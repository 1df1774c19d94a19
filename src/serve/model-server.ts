import type { Finding } from "../findings/finding.ts";
import type { Profile } from "../protocols/profiles/profile.ts";
import type { ProviderError } from "../protocols/refusals.ts";
import {
  type InnerRequest,
  type ReplyContext,
  type Route,
  type StoredHistory,
  tokensIn,
} from "../protocols/server-side.ts";
import { type Fields, filled, isFields } from "../protocols/wire.ts";
import { pushAll } from "../reading/lists.ts";
import { type Address, findAddress, misspeltProfile } from "./addresses.ts";
import type { AnswerSource, AskedTurn } from "./answers/answer-source.ts";
import { elementsOf } from "./elements.ts";
import type { PlannedFault } from "./faults/fault.ts";
import { FaultError } from "./faults/parse.ts";
import { FaultPlan, faultHeader } from "./faults/plan.ts";
import type { HttpAnswer, ServedRequest } from "./http-server.ts";
import { idSource } from "./ids.ts";
import { type Judgment, judgeRequest } from "./judge.ts";
import type { Miss, OtherRequest, Outcomes, RefusedRequest, ServedWarning } from "./outcomes.ts";
import { notAnObject, type ParsedBody, parseBody, withModel } from "./request-body.ts";
import { type NumberedRequest, Responder } from "./responder.ts";
import { loadServedProtocols, type ServedProtocol } from "./served-protocols.ts";
import { turnAnswer } from "./turn-answer.ts";
import { unserved } from "./unserved.ts";

export interface ModelServerOptions {
  /** The profile that judges the protocols that it speaks; others are judged by their own provider. */
  readonly profile?: Profile | undefined;
  /** The model whose demands apply with this profile; default: each request's own. */
  readonly model?: string | undefined;
  readonly answers: AnswerSource;
  /** What goes wrong, and in which turns. */
  readonly faults?: readonly PlannedFault[];
  /** Answer what the provider would refuse, and warn. */
  readonly isLenient?: boolean;
}

/** What an address of a model asks for. */
type ModelRoute = Exclude<Route, { readonly does: "resource" }>;

/** A request at an address of an API. */
interface Asked {
  readonly request: NumberedRequest;
  readonly address: Address;
  readonly body: ParsedBody;
  readonly context: ReplyContext;
  readonly responder: Responder;
}

/** A request that the provider takes. */
interface Taken {
  /** The members of the request to the model. */
  readonly fields: Fields;
  readonly verdict: Judgment;
  readonly stored: StoredHistory | undefined;
  /** The size counts what was stored, too. */
  readonly context: ReplyContext;
}

/** The server of all core protocols, apart from its sockets. */
export class ModelServer implements Outcomes {
  readonly refused: RefusedRequest[] = [];
  readonly misses: Miss[] = [];
  readonly otherRequests: OtherRequest[] = [];
  readonly warnings: ServedWarning[] = [];
  readonly notes: string[] = [];
  readonly faults: FaultPlan;
  /** The requests so far, and the turns among them. */
  requests = 0;
  turns = 0;
  private readonly options: ModelServerOptions;
  private readonly served: readonly ServedProtocol[];
  private readonly idsFor = idSource((id) => this.options.answers.usesId?.(id) ?? false);
  /** Ends when all earlier requests have their answers. */
  private earlier: Promise<void> = Promise.resolve();

  private constructor(options: ModelServerOptions, served: readonly ServedProtocol[]) {
    this.options = options;
    this.faults = new FaultPlan(options.faults);
    this.served = served;
  }

  /** Loads the protocols that can be served. */
  static async create(options: ModelServerOptions): Promise<ModelServer> {
    return new ModelServer(options, await loadServedProtocols());
  }

  /** Requests are answered in the order of their arrival, so that the same run numbers its turns the same. */
  handle(request: ServedRequest): Promise<HttpAnswer> {
    const numbered = { ...request, number: ++this.requests };
    const answer = this.earlier.then(() => this.answer(numbered));
    const settled = (): void => {};
    this.earlier = answer.then(settled, settled);
    return answer;
  }

  /** Parses the request, lets the provider judge its form and its history, and answers it. */
  private async answer(request: NumberedRequest): Promise<HttpAnswer> {
    const address = findAddress(request, this.served, this.options.profile);
    if (!address) return this.unknownAddress(request);
    this.noteOnce(misspeltProfile(request.target, address));
    const asked = this.parse(request, address);
    const { inner, value } = asked.body;
    const { route } = address;
    if (route.does === "resource" || (isFields(value) && !inner)) return resourceAnswer(asked);
    if (!inner) return asked.responder.refuse(notAnObject(request.body, address));
    const judged = await this.judge(asked, inner, route);
    return "verdict" in judged ? this.answerTaken(asked, judged, route) : judged;
  }

  private noteOnce(note: string | undefined): void {
    if (note !== undefined && !this.notes.includes(note)) this.notes.push(note);
  }

  private parse(request: NumberedRequest, address: Address): Asked {
    const { route, profile } = address;
    const body = parseBody(request.body, address);
    const newId = this.idsFor(request.body);
    const responder = new Responder(request, address, newId("req_", 24), this);
    const named = route.does === "resource" ? undefined : route.model;
    const context: ReplyContext = {
      fields: body.members,
      model: filled(body.members["model"]) ?? named ?? "model",
      profile: profile.name,
      created: Math.floor(Date.now() / 1000),
      size: request.body.length,
      newId,
    };
    return { request, address, body, context, responder };
  }

  /** What the provider says to a request: its refusal, or that it takes it. */
  private async judge(
    { request, address, body, context, responder }: Asked,
    inner: InnerRequest,
    route: ModelRoute,
  ): Promise<Taken | HttpAnswer> {
    const { server, protocol, profile, url } = address;
    const { number } = request;
    const { profile: wanted, model, isLenient = false } = this.options;
    const held = server.stored?.(inner.fields, context);
    if (held && "message" in held && !isLenient) return responder.refuse(held);
    const stored = held && "message" in held ? undefined : held;
    pushAll(this.notes, notesOf(number, held));
    const fields = withModel(inner.fields, route.model);
    const verdict = await judgeRequest({
      protocol,
      profile,
      model: profile === wanted ? model : undefined,
      body: fields,
      ...(inner.base !== "" && { envelope: { body: body.members, base: inner.base } }),
      url: url.href,
      headers: request.headers,
      purpose: route.does === "count" ? "count" : "turn",
      ...(stored && { stored }),
    });
    for (const finding of verdict.warnings) this.warn(number, finding);
    const { refusal, ground, overlooked } = verdict;
    this.noteOnce(overlooked);
    if (refusal && !isLenient) return responder.refuse(refusal, ground);
    if (ground) this.warn(number, ground);
    const signatureError = isLenient ? undefined : server.signatureError?.(fields);
    if (signatureError) return responder.refuse(signatureError);
    const size = context.size + sizeOf(stored?.elements);
    return { fields, verdict, stored, context: { ...context, size } };
  }

  /** Answers a request that the provider takes. */
  private answerTaken(
    { request, address, body, responder }: Asked,
    { fields, verdict, stored, context }: Taken,
    route: ModelRoute,
  ): HttpAnswer {
    const { server } = address;
    if (route.does === "count") return responder.json(200, server.count(tokensIn(context.size)));
    if (route.does === "compact")
      return responder.json(200, server.compact?.(elementsOf(verdict.request), context));
    const isStreaming = route.isStreaming ?? server.isStreaming(body.members);
    const { exchange } = verdict;
    const turn: AskedTurn = {
      number: ++this.turns,
      exchange,
      request: verdict.request,
      fields,
      isStreaming,
    };
    const answer = this.options.answers.answer(turn);
    if (answer.kind === "miss") return responder.noAnswer(404, answer.why);
    const fault = this.faults.take(turn.number, answer, request.headers[faultHeader]);
    if (fault instanceof FaultError) {
      this.options.answers.unsent?.(turn);
      return responder.noAnswer(400, fault.message);
    }
    const { requestId } = responder;
    const framing = route.framing ?? server.framing;
    const due = { server, reply: context, requestId, isStreaming, framing };
    const answered = { turn, answer, fault, request: request.number, address, due, stored };
    return turnAnswer(answered, this.options.answers, this.faults);
  }

  private warn(request: number, { rule, message }: Finding): void {
    this.warnings.push({ request, rule, message });
  }

  private unknownAddress({ number, method, target }: NumberedRequest): HttpAnswer {
    const [path = ""] = target.split("?");
    const { status, why } = unserved(method, path);
    if (why === undefined) this.otherRequests.push({ request: number, method, path });
    else this.misses.push({ request: number, method, target, why });
    const message = `toollint serve: ${why ?? `nothing is at ${method} ${path}`}`;
    const error = { error: { message, type: "toollint_no_answer" } };
    return {
      status,
      headers: { "content-type": "application/json" },
      body: `${JSON.stringify(status === 200 ? {} : error)}\n`,
    };
  }
}

/** Answers what asks no model. */
function resourceAnswer({ request, address, body, context, responder }: Asked): HttpAnswer {
  const { server, route, url } = address;
  const answer = server.resource({ method: request.method, url, body: body.value, context });
  if (!("message" in answer)) return responder.json(answer.status, answer.body);
  // Where there is no history, none is refused: the run is still as planned.
  return route.does === "resource" ? responder.failed(answer) : responder.refuse(answer);
}

/** What to say about a history that refers to what is stored. */
function notesOf(number: number, held: StoredHistory | ProviderError | undefined): string[] {
  if (!held) return [];
  if ("message" in held) return [`request ${number} was answered despite this: ${held.message}`];
  return (held.unknown ?? []).map(
    (what) =>
      `request ${number} refers to ${what}, which this server never sent: earlier history is not checked`,
  );
}

/** The length of elements as JSON, about in bytes. */
function sizeOf(elements: readonly unknown[] = []): number {
  return elements.length === 0 ? 0 : JSON.stringify(elements).length;
}
