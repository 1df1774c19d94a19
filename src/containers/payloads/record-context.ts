import type { Mutable } from "../../reading/mutable.ts";
import { remembered } from "../../reading/remembered.ts";
import { fields } from "../../reading/values.ts";
import type { RecordContext } from "../../traffic/record-context.ts";

/** The facts about an exchange in the members around its payloads, under any log's names. */
export type Context = Omit<RecordContext, "index">;

export const noContext: Context = { headers: {}, ids: new Map() };

const urlKeys = new Set(["url", "uri", "path", "endpoint", "request_url", "requesturl", "target"]);
const methodKeys = new Set(["method", "http_method", "verb"]);
const statusKeys = new Set(["status", "status_code", "statuscode", "http_status", "code"]);
const timeKeys = new Set([
  "ts",
  "time",
  "timestamp",
  "starteddatetime",
  "@timestamp",
  "created_at",
  "createdat",
  "date",
  "recorded_at",
  "captured_at",
  "request_created_at",
  "loggeddate",
]);
/** They say when something happened; the others may say when its record was stored. */
const startKeys = new Set(["start_time", "starttime", "starttimeunixnano", "started_at"]);
const durationKeys = new Set(["durationms", "duration_ms", "latency_ms", "elapsed_ms"]);
const requestHeaderKeys = new Set(["request_headers", "requestheaders", "headers", "header"]);

/** The context inside an object with these scalar and header members, on top of the outer context. */
export function contextWithin<T extends Context>(outer: T, members: Iterable<readonly [string, unknown]>): T {
  let context: Mutable<T> | undefined;
  const own = (): Mutable<T> => (context ??= { ...outer });
  let isStartKnown = false;
  const takeTime = (key: string, value: string | number): void => {
    if (startKeys.has(key)) isStartKnown = setTime(own(), value) || isStartKnown;
    else if (!isStartKnown) setTime(own(), value);
  };
  for (const [name, value] of members) {
    const key = name.toLowerCase();
    if (typeof value === "string") {
      if (urlKeys.has(key) && (value.includes("/") || value.includes(".")))
        own().url = joinUrl(outer.url, value);
      else if (methodKeys.has(key) && /^[A-Za-z]{3,7}$/.test(value)) own().method = value.toUpperCase();
      else if (isTimeKey(key)) takeTime(key, value);
      else if (key === "aborted") own().isAborted = true;
    }
    if (statusKeys.has(key)) {
      const status =
        typeof value === "number"
          ? value
          : typeof value === "string" && /^\d{3}$/.test(value)
            ? Number(value)
            : undefined;
      if (status !== undefined && status >= 100 && status < 600) own().status = status;
    }
    if (typeof value === "number") {
      // HAR uses `time` for the duration.
      if (key === "time" && value < 1e8) own().durationMs = value;
      else if (isTimeKey(key)) takeTime(key, value);
      else if (durationKeys.has(key)) own().durationMs = value;
    }
    if (key === "aborted" && value === true) own().isAborted = true;
    if (requestHeaderKeys.has(key)) {
      const headers = headersOf(value);
      if (headers) own().headers = { ...outer.headers, ...headers };
    }
    if (isIdKey(name) && (typeof value === "string" || typeof value === "number") && `${value}` !== "") {
      const within = own();
      if (within.ids === outer.ids) within.ids = new Map(outer.ids);
      (within.ids as Map<string, string>).set(key, `${value}`);
    }
  }
  return context ?? outer;
}

function isTimeKey(key: string): boolean {
  return startKeys.has(key) || timeKeys.has(key);
}

const isIdKey = remembered((name) => /(^|[_.-])(id|uuid|guid|seq)$|[a-z](Id|ID|Uuid)$/.test(name));

function joinUrl(outer: string | undefined, inner: string): string {
  return outer !== undefined && /^https?:\/\/[^/]+\/?$/.test(outer) && inner.startsWith("/")
    ? outer.replace(/\/$/, "") + inner
    : inner;
}

/** Whether the value is a time; then the context has it. */
function setTime(context: Mutable<Context>, value: string | number): boolean {
  const count = typeof value === "string" && /^\d{10,19}$/.test(value) ? Number(value) : value;
  // Seconds, milliseconds or OpenTelemetry's nanoseconds.
  const time =
    typeof count === "string"
      ? Date.parse(count)
      : count > 1e17
        ? count / 1e6
        : count > 1e11
          ? count
          : count * 1000;
  if (!Number.isFinite(time) || time <= 9e11) return false;
  context.time = time;
  return true;
}

/** Headers kept as an object, a list of `{name, value}` or `{key, value}`, or with lists as values. */
function headersOf(value: unknown): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  const entries: Iterable<readonly [unknown, unknown]> = Array.isArray(value)
    ? value.map((entry) => {
        const { name, key, value: content } = fields(entry);
        return [name ?? key, content] as const;
      })
    : typeof value === "object" && value !== null
      ? Object.entries(value)
      : [];
  for (const [name, content] of entries) {
    if (typeof name !== "string") continue;
    const text = Array.isArray(content) ? content.join(", ") : content;
    if (typeof text === "string" || typeof text === "number") headers[name.toLowerCase()] = `${text}`;
  }
  return Object.keys(headers).length > 0 ? headers : undefined;
}
