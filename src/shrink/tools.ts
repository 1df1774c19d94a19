import type { BodyEdit } from "../containers/write/json-edits.ts";
import type { Request, ToolDefinition } from "../conversation/exchange.ts";
import type { Item } from "../conversation/item.ts";
import { pushAll } from "../reading/lists.ts";
import { pointerToken, pointerTokens, valueAt } from "../reading/pointer.ts";
import type { Element } from "../reading/shared-run.ts";
import { fields, isFields, list } from "../reading/values.ts";
import { type Body, bodyAt, changeOf } from "./bodies.ts";
import { edited } from "./edited.ts";
import { editableRequests } from "./histories.ts";
import type { FailingLog } from "./oracle.ts";
import type { Pass, Unit } from "./sweep.ts";

/** A tool that nobody calls, in all requests. */
interface IdleTool extends Unit {
  readonly tool: string;
}

/** Takes out the definitions of tools that are not called in what is left of the log. */
export const toolPass: Pass<IdleTool> = {
  strictness: "warnings",
  unitsOf(log) {
    const offered = new Set(offeredIn(log).map(({ name }) => name));
    if (offered.size === 0) return [];
    const used = new Set(callsIn(log).map(({ name }) => name));
    return [...offered].filter((tool) => !used.has(tool)).map((tool) => ({ tool, name: `the tool ${tool}` }));
  },
  without(log, units) {
    const gone = new Set(units.map(({ tool }) => tool));
    return eachRequest(log, (request, body) => toolEdits(request, body, gone));
  },
};

function toolEdits({ tools = [] }: Request, { value }: Body, gone: ReadonlySet<string>): BodyEdit[] {
  const removed = tools.filter(({ name }) => gone.has(name));
  if (removed.length === 0) return [];
  if (removed.length < tools.length) return removed.map(({ pointer }) => ({ op: "remove", pointer }));
  // Without a tool, what chooses among them goes as well.
  const members = Object.keys(fields(value)).filter((key) => /tool/i.test(key) || holds(tools, key));
  return members.map((key) => ({ op: "remove", pointer: `/${pointerToken(key)}` }));
}

function holds(tools: readonly ToolDefinition[], key: string): boolean {
  return tools.some(({ pointer }) => pointerTokens(pointer)[0] === key);
}

/** A parameter that no call gives, in all definitions of its tool. */
interface IdleParameter extends Unit {
  readonly tool: string;
  readonly parameter: string;
}

/** Takes out parameters that no call of their tool gives. */
export const parameterPass: Pass<IdleParameter> = {
  strictness: "warnings",
  unitsOf(log) {
    if (offeredIn(log).length === 0) return [];
    const given = new Set(
      callsIn(log).flatMap((call) =>
        Object.keys(fields(call.arguments)).map((key) => JSON.stringify([call.name, key])),
      ),
    );
    const idle = new Map<string, IdleParameter>();
    for (const { request } of editableRequests(log))
      for (const { name: tool, parameters } of request.tools ?? [])
        for (const parameter of Object.keys(fields(fields(parameters)["properties"]))) {
          const key = JSON.stringify([tool, parameter]);
          if (!given.has(key))
            idle.set(key, { tool, parameter, name: `the parameter ${parameter} of ${tool}` });
        }
    return [...idle.values()];
  },
  without(log, units) {
    return eachRequest(log, ({ tools = [] }, { value }) =>
      tools.flatMap(({ name, pointer }) => {
        const gone = units.flatMap(({ tool, parameter }) => (tool === name ? [parameter] : []));
        const schema = gone.length > 0 ? schemaPointer(value, pointer) : undefined;
        return schema === undefined ? [] : parameterEdits(value, schema, gone);
      }),
    );
  },
};

/** The pointer to the schema of a tool's arguments: the object with `properties` next to its definition. */
function schemaPointer(body: unknown, pointer: string, depth = 0): string | undefined {
  const value = valueAt(body, pointer);
  if (!isFields(value) || depth > 2) return undefined;
  if (isFields(value["properties"])) return pointer;
  for (const key of Object.keys(value)) {
    const found = schemaPointer(body, `${pointer}/${pointerToken(key)}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parameterEdits(body: unknown, schema: string, gone: readonly string[]): BodyEdit[] {
  const { properties, required } = fields(valueAt(body, schema));
  const named = list(required);
  const left = named.filter((name) => !gone.some((each) => each === name));
  return [
    ...gone
      .filter((name) => Object.hasOwn(fields(properties), name))
      .map((name) => ({ op: "remove" as const, pointer: `${schema}/properties/${pointerToken(name)}` })),
    ...(left.length < named.length
      ? [{ op: "replace" as const, pointer: `${schema}/required`, json: JSON.stringify(left) }]
      : []),
  ];
}

/** The log with edits of each request. */
function eachRequest(
  log: FailingLog,
  editsOf: (request: Request, body: Body) => BodyEdit[],
): Buffer | { readonly why: string } {
  const changes = editableRequests(log).flatMap(({ request }) =>
    bodyAt(request.place, request.copies).flatMap((body) => changeOf(body, editsOf(request, body))),
  );
  return edited(log, changes);
}

/** All tools that the requests offer. */
function offeredIn(log: FailingLog): readonly ToolDefinition[] {
  return editableRequests(log).flatMap(({ request }) => request.tools ?? []);
}

/** All calls in the histories and the replies of a log; what several histories share is looked at once. */
function callsIn(log: FailingLog): readonly (Item & { kind: "call" })[] {
  const seen = new Set<Element>();
  const items: Item[] = [];
  for (const { request, reply } of log.file.exchanges) {
    const history = request?.history;
    for (let index = 0; history && index < history.length; index++) {
      const element = history.element(index);
      if (seen.has(element)) continue;
      seen.add(element);
      pushAll(items, history.items(index));
    }
    pushAll(items, reply?.items ?? []);
  }
  return items.filter((item) => item.kind === "call");
}
