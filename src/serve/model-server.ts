import type { Request } from "../conversation/exchange.ts";
import type { Finding } from "../findings/finding.ts";
import { profiles } from "../protocols/profiles/index.ts";
import type { Profile } from "../protocols/profiles/profile.ts";
import { ownProfile, refusalsOf, speaks } from "../protocols/profiles/refusals.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { ServedError } from "../protocols/refusals.ts";
import {
  type Framing,
  type ReplyContext,
  type Route,
  type ServerSide,
  type StoredHistory,
  tokensIn,
} from "../protocols/server-side.ts";
import { type Fields, filled, isFields } from "../protocols/wire.ts";
import { parseJson } from "../reading/parse.ts";
import type { AnswerSource, AskedTurn } from "./answers/answer-source.ts";
import { faultyAnswer } from "./faults/apply.ts";
import type { Fault, PlannedFault } from "./faults/fault.ts";
import { FaultError } from "./faults/parse.ts";
import { FaultPlan, faultHeader } from "./faults/plan.ts";
import { type GivenAnswer, httpAnswer, written } from "./http-answers.ts";
import type { HttpAnswer, ServedRequest } from "./http-server.ts";
import { idSource } from "./ids.ts";
import { type Judgment, judgeRequest } from "./judge.ts";
import { loadSides, type Side } from "./sides.ts";
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

/** A request that was refused, or would have been. */
export interface RefusedRequest {
  /** The number of the request, from 1, in order of arrival. */
  readonly request: number;
  readonly method: string;
  readonly target: string;
  readonly profile: string;
  readonly error: ServedError;
  /** The rule that names the defect; absent for a body that is no request at all. */
  readonly rule?: string;
  /** RFC 6901 pointer from the body. */
  readonly pointer?: string;
}

/** A request that nothing was planned for. */
export interface Miss {
  readonly request: number;
  readonly method: string;
  readonly target: string;
  readonly why: string;
}

/** A request that asks no model and is at no address of an API: a health check, telemetry. */
export interface BesideApis {
  readonly request: number;
  readonly method: string;
  readonly path: string;
}

/** What the provider takes, although it misleads the model. */
export interface ServedWarning {
  readonly request: number;
  readonly finding: Finding;
}

/** Targets of requests are paths; the host says nothing. */
const base = "http://127.0.0.1";

/** The server of all core protocols, apart from its sockets. */
export class ModelServer {
  readonly refused: RefusedRequest[] = [];
  readonly misses: Miss[] = [];
  readonly besides: BesideApis[] = [];
  readonly warnings: ServedWarning[] = [];
  readonly faults: FaultPlan;
  /** The requests so far, and the turns among them. */
  requests = 0;
  turns = 0;
  /** What else the user should know; sentences. */
  readonly notes: string[] = [];
  private readonly options: ModelServerOptions;
  private readonly sides: readonly Side[];
  private readonly idsFor = idSource((id) => this.options.answers.usesId?.(id) ?? false);
  /** Ends when all earlier requests have their answers. */
  private earlier: Promise<void> = Promise.resolve();

  private constructor(options: ModelServerOptions, sides: readonly Side[]) {
    this.options = options;
    this.faults = new FaultPlan(options.faults);
    this.sides = sides;
  }

  /** Loads the protocols that can be served. */
  static async create(options: ModelServerOptions): Promise<ModelServer> {
    return new ModelServer(options, await loadSides());
  }

  /** Requests are answered in the order of their arrival, so that the same run numbers its turns the same. */
  handle(request: ServedRequest): Promise<HttpAnswer> {
    const number = ++this.requests;
    const answer = this.earlier.then(() => this.answer(number, request));
    const settled = (): void => {};
    this.earlier = answer.then(settled, settled);
    return answer;
  }

  private async answer(number: number, request: ServedRequest): Promise<HttpAnswer> {
    const found = this.find(request);
    if (!found) return this.unknownAddress(number, request);
    const { side, route, profile } = found;
    const { server, protocol } = side;
    const parsed = request.body.length === 0 ? undefined : parseJson(request.body.toString());
    const newId = this.idsFor(request.body);
    const requestId = newId("req_", 24);
    const body = isFields(parsed) ? parsed : {};
    const context: ReplyContext = {
      fields: body,
      model: filled(body["model"]) ?? (route.does === "beside" ? undefined : route.model) ?? "model",
      profile: profile.name,
      created: Math.floor(Date.now() / 1000),
      size: request.body.length,
      newId,
    };
    const json = (status: number, value: unknown): HttpAnswer => ({
      status,
      headers: { "content-type": "application/json", ...server.headers(requestId) },
      body: `${JSON.stringify(value)}\n`,
    });
    const failed = (error: Omit<ServedError, "requestId">): HttpAnswer => {
      const wrong = refusalsOf(profile, protocol.name)?.errorBody({ ...error, requestId });
      return json(error.status, route.does === "turn" && route.listsErrors ? [wrong] : wrong);
    };
    const refuse = (error: Omit<ServedError, "requestId">, ground?: Finding): HttpAnswer => {
      this.refused.push({
        request: number,
        method: request.method,
        target: request.target,
        profile: profile.name,
        error: { ...error, requestId },
        ...(ground && { rule: ground.rule, pointer: ground.locus.pointer }),
      });
      return failed(error);
    };

    /** A test is wrong: it planned no answer, or asks for a fault that there is not. */
    const unanswered = (status: number, why: string): HttpAnswer => {
      this.misses.push({ request: number, method: request.method, target: request.target, why });
      const message = `toollint serve has no answer: ${why}`;
      const error = { status, message, type: "toollint_no_answer", requestId };
      return json(status, refusalsOf(profile, protocol.name)?.errorBody(error));
    };

    const inner = server.requestIn ? server.requestIn(body) : { fields: body, base: "" };
    if (route.does === "beside" || (isFields(parsed) && !inner)) {
      const answer = server.beside({ method: request.method, url: found.url, body: parsed, context });
      if (!("message" in answer)) return json(answer.status, answer.body);
      // Where there is no history, none is refused: the run is still as planned.
      return route.does === "beside" ? failed(answer) : refuse(answer);
    }
    if (!isFields(parsed) || !inner) return refuse(this.notAnObject(request, profile, protocol));
    const held = server.stored?.(inner.fields, context);
    if (held && "message" in held && !this.options.isLenient) return refuse(held);
    const stored = held && "message" in held ? undefined : held;
    this.notes.push(...notesOf(number, held));
    // Where both name the model, the address may name a deployment of it.
    const fields =
      route.model === undefined || filled(inner.fields["model"])
        ? inner.fields
        : { ...inner.fields, model: route.model };
    const verdict = await judgeRequest({
      protocol,
      profile,
      model: profile === this.options.profile ? this.options.model : undefined,
      body: fields,
      ...(inner.base !== "" && { envelope: { body, base: inner.base } }),
      url: found.url.href,
      headers: request.headers,
      purpose: route.does === "count" ? "count" : "turn",
      ...(stored && { stored }),
    });
    for (const finding of verdict.warnings) this.warnings.push({ request: number, finding });
    if (verdict.refusal) {
      if (!this.options.isLenient) return refuse(verdict.refusal, verdict.ground);
      if (verdict.ground) this.warnings.push({ request: number, finding: verdict.ground });
    }
    const altered = this.options.isLenient ? undefined : server.altered?.(fields);
    if (altered) return refuse(altered);
    const full = { ...context, size: context.size + sizeOf(stored?.elements) };
    if (route.does === "count") return json(200, server.count(tokensIn(full.size)));
    if (route.does === "compact") return json(200, server.compact?.(elementsOf(verdict.request), full));
    const isStreaming = route.isStreaming ?? server.isStreaming(body);
    const turn: AskedTurn = {
      number: ++this.turns,
      exchange: verdict.exchange,
      request: verdict.request,
      fields,
      isStreaming,
    };
    const answer = this.options.answers.answer(turn);
    if (answer.kind === "miss") return unanswered(404, answer.why);
    const fault = this.faults.take(turn.number, answer, request.headers[faultHeader]);
    if (fault instanceof FaultError) return unanswered(400, fault.message);
    const framing = route.framing ?? server.framing;
    const due = { number, fault, server, protocol, profile, requestId, verdict, stored, framing };
    return this.reply(answer, turn, { ...due, context: full });
  }

  /** The protocol, address and profile of a request; `undefined` if no server has such an address. */
  private find({ method, target, headers }: ServedRequest): Found | undefined {
    if (!URL.canParse(target, base)) return undefined;
    const url = new URL(target, base);
    const [, first = "", rest = ""] = /^\/([^/]*)(.*)$/s.exec(url.pathname) ?? [];
    const owner = profiles.find(({ paths }) => paths?.test(url.pathname));
    const named = owner ? undefined : profiles.find(({ name }) => name === first);
    const inner = new URL(url);
    if (named) inner.pathname = rest;
    for (const at of named ? [inner, url] : [url]) {
      const found = this.sides.flatMap((side): Found[] => {
        const route = side.server.route(method, at, headers);
        if (!route) return [];
        const { name } = side.protocol;
        const asked = [this.options.profile, owner, at === inner ? named : undefined].find(
          (profile) => profile && speaks(profile, name),
        );
        const profile = asked ?? ownProfile(name);
        return profile ? [{ side, route, profile, isAsked: asked !== undefined, url: at }] : [];
      });
      const best =
        found.find(({ route }) => route.does === "beside" && route.isCertain) ??
        found.find(({ isAsked }) => isAsked) ??
        found[0];
      if (best) return best;
    }
    return undefined;
  }

  private unknownAddress(number: number, { method, target }: ServedRequest): HttpAnswer {
    const [path = ""] = target.split("?");
    const { status, why } = unserved(method, path);
    if (why === undefined) this.besides.push({ request: number, method, path });
    else this.misses.push({ request: number, method, target, why });
    const message = why ?? `nothing is at ${method} ${path}`;
    return {
      status,
      headers: { "content-type": "application/json" },
      body:
        status === 200
          ? "{}\n"
          : `${JSON.stringify({ error: { message: `toollint serve: ${message}`, type: "toollint_no_answer" } })}\n`,
    };
  }

  private notAnObject(
    { body }: ServedRequest,
    profile: Profile,
    { name }: Protocol,
  ): Omit<ServedError, "requestId"> {
    const notJson = refusalsOf(profile, name)?.notJson;
    let reason = "the body is no JSON object";
    try {
      JSON.parse(body.toString());
    } catch (error) {
      reason = (error as Error).message;
    }
    return {
      status: notJson?.status ?? 400,
      message: (notJson?.text ?? "{reason}").replace(
        "{reason}",
        () => notJson?.reason?.(reason, body.toString()) ?? reason,
      ),
      type: notJson?.type,
      code: notJson?.code,
    };
  }

  private reply(
    answer: GivenAnswer,
    turn: AskedTurn,
    { number, fault, server, protocol, profile, context, requestId, verdict, stored, framing }: Replying,
  ): HttpAnswer {
    const { answers } = this.options;
    const due = { server, reply: context, requestId, isStreaming: turn.isStreaming, framing };
    const keep = (body: Fields): void => {
      const history = elementsOf(verdict.request);
      const [before, isPartial] = [stored?.elements.length ?? 0, stored?.isPartial ?? false];
      server.store?.({ history, before, isPartial, reply: body }, context);
    };
    const close = (isAnswered: boolean): void => (isAnswered ? answers.sent?.(turn) : answers.unsent?.(turn));
    if (!fault) {
      const whole = written(answer, due);
      return httpAnswer(whole, due, (isWhole) => {
        if (isWhole) keep(whole.body);
        close(isWhole);
      });
    }
    const idle: string[] = [];
    this.faults.applied.push({ request: number, turn: turn.number, fault: fault.text, idle });
    const faulty = { ...due, protocol: protocol.name, profile, idle: (why: string) => void idle.push(why) };
    return faultyAnswer(fault, answer, faulty, ({ isAnswered, body }) => {
      if (body) keep(body);
      close(isAnswered);
    });
  }
}

interface Found {
  readonly side: Side;
  readonly route: Route;
  readonly profile: Profile;
  /** The user or the address names the profile. */
  readonly isAsked: boolean;
  /** The address behind the profile's name. */
  readonly url: URL;
}

interface Replying {
  /** The number of the request. */
  readonly number: number;
  readonly fault: Fault | undefined;
  readonly protocol: Protocol;
  readonly profile: Profile;
  readonly server: ServerSide;
  readonly context: ReplyContext;
  readonly requestId: string;
  readonly verdict: Judgment;
  readonly stored: StoredHistory | undefined;
  readonly framing: Framing;
}

/** What to say about a history that refers to what is stored. */
function notesOf(number: number, held: StoredHistory | Omit<ServedError, "requestId"> | undefined): string[] {
  if (!held) return [];
  if ("message" in held) return [`request ${number} is answered, although: ${held.message}`];
  return (held.unknown ?? []).map(
    (what) =>
      `request ${number} refers to ${what}, which this server never sent: what stands before is not checked`,
  );
}

function elementsOf({ history }: Request): unknown[] {
  return Array.from({ length: history.length }, (_, index) => history.element(index).value);
}

/** The length of elements as JSON, about in bytes. */
function sizeOf(elements: readonly unknown[] = []): number {
  return elements.length === 0 ? 0 : JSON.stringify(elements).length;
}
