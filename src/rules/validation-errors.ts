/**
 * What servers that validate requests say about one value, in whatever wording: `messages.3.content.0.id:
 * Field required`, `Invalid type for 'input[2].output': expected …`, a `loc` of FastAPI, a `path` of zod, a
 * field of Go or serde. The path is found first; the words around it say what is wrong there. All repetitions
 * are bounded, because the texts come from logs.
 */

/**
 * The kinds of complaint.
 * - `missing`: a required member is absent
 * - `unknown`: a member that the API does not know, or does not allow there
 * - `empty`: the value has no content
 * - `type`: text instead of an object, and the like
 * - `form`: text of a wrong form: a pattern, a prefix
 * - `limit`: too long, too many
 * - `variant`: the object matches none of the known kinds
 * - `value`: any other wrong value
 */
export type ComplaintKind = "missing" | "unknown" | "empty" | "type" | "form" | "limit" | "variant" | "value";

/** One complaint of a validator. */
export interface Complaint {
  /** From the body on, indexes from 0, as the provider spells the members: `["messages", 3, "content"]`. */
  readonly path: readonly (string | number)[];
  readonly kind: ComplaintKind;
  /** The provider's own words about the value, on one line. */
  readonly words: string;
}

/** The arrays that hold the history, in all protocols. */
const historyRoots: ReadonlySet<string> = new Set(["messages", "message", "input", "contents", "history"]);

/** The members that declare tools. */
const toolRoots: ReadonlySet<string> = new Set(["tools", "toolConfig", "tool_config", "functions"]);

/** Which part of the request a complaint is about. */
export function subjectOf({ path: [root] }: Complaint): "history" | "tools" | "settings" {
  return historyRoots.has(`${root}`) ? "history" : toolRoots.has(`${root}`) ? "tools" : "settings";
}

/**
 * The complaint that an error text makes about a request, at the first place that it names; `undefined` for
 * texts that name no place, or say nothing intelligible of it.
 * @param text on one line, without the escapes of gateways
 */
export function complaintIn(text: string): Complaint | undefined {
  const read = withPaths(text);
  const found = complaintsIn(read);
  const named =
    found.find((each) => subjectOf(each) === "history" && typeof each.path[1] === "number") ??
    found.find((each) => subjectOf(each) === "history") ??
    found[0];
  // A frame names the message, what it holds names the member.
  const first = found.find(({ path }) => named && isBelow(path, named.path)) ?? named ?? settingIn(read);
  return first && merged(first, found, text);
}

function isBelow(path: Complaint["path"], above: Complaint["path"]): boolean {
  return path.length > above.length && above.every((segment, at) => path[at] === segment);
}

/** A path without an index in the array: `messages.content`. Only these members make a path of two words. */
const members =
  "content|role|type|text|name|tool_calls|tool_call_id|tool_name|tool_use|tool_result|function|arguments|parts|call_id|output|id|thinking|reasoning_content|images|properties|parameters|input_schema|function_declarations";

const owner =
  "(?:[$#]|body|request|data|input|[A-Za-z_]{1,40}(?:Request|Completion|Message|_message|Params))[./]";
const index = "\\.?\\[\\d{1,6}\\]|[./]\\d{1,6}(?![\\w-])";
const name = "[./][A-Za-z_]\\w{0,60}(?![\\w(])";
const paths = new RegExp(
  `(?<![\\w-])(?:${owner})?(?:(?<root>messages?|input|contents|history|(?:tool_?[cC]onfig\\.)?tools|system|functions)(?<below>(?:${index})(?:${index}|${name}){0,16})` +
    `|(?<array>messages|input|contents|tools)(?<member>[./](?:${members})(?![\\w(]))(?<deeper>(?:${index}|${name}){0,8})` +
    `|(?<quote>['"\`])(?<quoted>messages|input|contents|tools)\\k<quote>(?! ?: ?[[{"'\\d])` +
    "|(?<=^|[\\s\"'{(])(?<bare>messages|input|contents|tools)(?=: ?(?:data did|invalid type|field required|input should|list should)))",
  "g",
);

function complaintsIn(text: string): Complaint[] {
  const found = [...text.matchAll(paths)].slice(0, 40);
  return found.flatMap((match, at): Complaint[] => {
    const end = match.index + match[0].length;
    const previous = found[at - 1];
    const before = text.slice(
      Math.max(previous ? previous.index + previous[0].length : 0, match.index - 240),
      match.index,
    );
    const after = text.slice(end, Math.min(found[at + 1]?.index ?? text.length, end + 300));
    const { root, array, quoted, bare, below, member, deeper } = match.groups ?? {};
    const path = segmentsOf(`${root ?? array ?? quoted ?? bare}${below ?? member ?? ""}${deeper ?? ""}`);
    const kind = kindOf(after);
    const said = kind ?? kindOf(before);
    if (!said) return [];
    const lead = kind && leads.exec(before)?.[0];
    const about = lead ? `${lead.trim()} … ${trimmed(after)}` : kind ? after : before;
    const missing = memberIn(after, before);
    return [
      {
        path: missing === undefined || path.at(-1) === missing ? path : [...path, missing],
        kind: said,
        words: trimmed(about),
      },
    ];
  });
}

/** `messages[3].content.0` as `["messages", 3, "content", 0]`, without what only names a type. */
function segmentsOf(path: string): (string | number)[] {
  const parts = path.split(/[.[\]/]{1,3}/).filter((part) => part !== "");
  // AWS counts its `member` lists from 1.
  const first = parts.includes("member") ? 1 : 0;
  return parts
    .filter((part) => part !== "member")
    .map((part) => (/^\d+$/.test(part) ? Math.max(0, Number(part) - first) : part))
    .map((part, at) => (at === 0 && part === "message" ? "messages" : part))
    .filter((part, at, all) => typeof part === "number" || at < 2 || !isTypeName(part, at, all));
}

/** The names that validators put into a path for the kind of value that they tried. */
function isTypeName(part: string, at: number, all: readonly (string | number)[]): boolean {
  return (
    /^(?:str|int|dict|list|bytes|none|any|generator|typed-dict|union)$/.test(part) ||
    /^(?:[A-Z]\w*)?(?:Param|Message|Request|Input|Item|Call|Content)s?$/.test(part) ||
    (at === 2 && at < all.length - 1 && /^(?:system|developer|user|assistant|tool)$/.test(part))
  );
}

/** Words before a path that belong to those after it. */
const leads = /(?:invalid type for|cannot unmarshal \w{1,20} into go struct field)(?=[\s'"`:]{0,4}$)/i;

/** The words for each kind, in the order in which they are looked for. */
const wordings: readonly (readonly [ComplaintKind, RegExp])[] = [
  [
    "variant",
    /did not match any variant|invalid_union|none of the (?:known )?(?:variants|types)|any of the allowed schemas/i,
  ],
  [
    "missing",
    /field required|\bis (?:a )?required\b|required (?:property|parameter|key|field|member)|\bmissing\b|missing_required|must not be null|must have required|not specified|cannot be null|\bmissing$/i,
  ],
  [
    "unknown",
    /extra inputs|not permitted|unknown (?:name|parameter|field)|unsupported parameter|is unsupported|unrecognized|additional propert|cannot find field|extraneous|was unexpected|extra_forbidden|not supported|may not be/i,
  ],
  [
    "empty",
    /\bempty\b|\bblank\b|too short|minimum length|at least (?:1|one)\b|minimum number|min length|non-?whitespace|(?:greater than or equal to|longer than) [01]\b/i,
  ],
  [
    "type",
    /invalid type|wrong type|not of type|but should be |none is not an allowed|should be (?:a |an )?(?:valid |iterable|string|object|array|dictionary|list)|must be (?:a |an |of )?(?:valid )?(?:json |dictionary|string|array|object|list|integer|number)|cannot unmarshal|could not be converted|cannot deserialize|cannot start list|scalar field|json object|(?:string|dict|list|array|object)_type|is of type|of type string|expected .{0,120}?(?:got|found|received|but was)|got \w{1,20}, want/i,
  ],
  ["form", /pattern|begins? with|does not match|must start with|regular expression|\ba-z/i],
  ["limit", /too long|too large|at most|maximum|less than or equal|must not exceed/i],
  [
    "value",
    /supported values|must be\b|should be one of|does not support|unknown variant|not one of|enum value|input should be|\binvalid(?!_?request_?error)|illegal|literal_error|valid role|is not (?:valid|supported|allowed)|\bcannot\b|does not match/i,
  ],
];

/** What the words say; the earliest wording decides, because later sentences repeat or advise. */
function kindOf(words: string): ComplaintKind | undefined {
  let earliest: readonly [number, ComplaintKind] | undefined;
  for (const [kind, pattern] of wordings) {
    const at = pattern.exec(words)?.index;
    if (at !== undefined && (!earliest || at < earliest[0])) earliest = [at, kind];
  }
  return earliest?.[1];
}

const quoteMark = "[`'\"]{0,2}";
const memberAfter: readonly RegExp[] = [
  new RegExp(`missing field ${quoteMark}(\\w{1,60})`, "i"),
  new RegExp(`unknown field ${quoteMark}(\\w{1,60})`, "i"),
  new RegExp(`required (?:property|key) ${quoteMark}\\[?(\\w{1,60})`, "i"),
  /extraneous key \[(\w{1,60})\]/i,
  /propert(?:y|ies) ['"`](\w{1,60})['"`] (?:is|are) (?:unsupported|missing)/i,
  /^['"`\s]{0,3}: ['"](\w{1,60})['"](?:,|\s|$)/,
];
const memberBefore: readonly RegExp[] = [
  /unknown name ['"](\$?\w{1,60})['"] at ['"`]?$/i,
  /['"](\w{1,60})['"] is a required property[ -]{0,4}['"`]?$/i,
  /\(['"](\w{1,60})['"] was unexpected\)[ -]{0,4}['"`]?$/i,
];

/** The member that the words name in addition to the path. */
function memberIn(after: string, before: string): string | undefined {
  for (const pattern of memberAfter) {
    const named = pattern.exec(after)?.[1];
    if (named !== undefined) return named;
  }
  for (const pattern of memberBefore) {
    const named = pattern.exec(before)?.[1];
    if (named !== undefined) return named;
  }
  return undefined;
}

/** The words without the punctuation and the members of JSON around them. */
function trimmed(words: string): string {
  return words
    .replace(/^[\s'"`:)\]},({[-]+/, "")
    .replace(/^(?:msg|message)['"]?: ?['"]/i, "")
    .replace(/['"],? ?['"](?:input|url|ctx|type|param|code|loc|msg|message|request_id)['"]: ?.*$/i, "")
    .replace(/["']?\s?[}\]]{1,9}[\s"'}\].]{0,99}$/, "")
    .replace(/: ?['"]$/, "")
    .replace(/(?<![\s`:,({[])[\s`:,({[]+$/, "")
    .slice(0, 200);
}

/** Pydantic shows the value that it was given. */
const noContent = /['"]content['"].{0,120}?['"]input['"]: ?(?:None|null)\b/;

/** A list of what each kind of object would have needed says no more than that the object fits none. */
function merged(first: Complaint, all: readonly Complaint[], text: string): Complaint {
  const [root, at] = first.path;
  const same = all.filter(({ path }) => path[0] === root && path[1] === at);
  const content = same.find(({ path }) => path.at(-1) === "content");
  if (content && noContent.test(text))
    return { ...content, kind: "type", words: `${content.words}, and is null` };
  const isMixed = same.length > 3 && new Set(same.map(({ kind }) => kind)).size > 1;
  const isUnion =
    (isMixed && /union|Param\b|typed-dict|invalid_union/.test(text)) ||
    (same.length > 1 && text.includes("list[union["));
  return isUnion && typeof at === "number"
    ? { path: [root ?? "", at], kind: "variant", words: first.words }
    : first;
}

const part = "(?:['\"`][^'\"`]{0,120}['\"`]|\\d{1,6})";
const located = new RegExp(
  `[([]\\s?['"](?:body['"]|(?:messages|input|contents|tools)['"]\\s?,\\s?${part})(?:\\s?,\\s?${part}){0,14}\\s?,?\\s?[)\\]]`,
  "g",
);

/** What validators put among the keys for the type that they tried. */
const isClass = /^(?:typed-dict|[A-Z]\w{3,120})$/;

/** Writes the places of other notations as paths: lists of keys, arrows, chains of references. */
function withPaths(text: string): string {
  return (
    text
      .replace(located, (list) =>
        [...list.matchAll(/['"`]([^'"`]{0,120})['"`]|(\d{1,6})/g)]
          .map(([, key, number]) => key ?? number ?? "")
          .filter((key) => key !== "body" && /^[\w-]+$/.test(key) && !isClass.test(key))
          .join("."),
      )
      .replace(/\b\w{1,60}(?: -> [\w[\],]{1,2000}){1,12}/g, (chain) =>
        chain
          .split(" -> ")
          .filter((key) => key !== "body" && /^\w+$/.test(key))
          .join("."),
      )
      // A place in a JSON Schema: its indexes number alternatives, not elements.
      .replace(
        /(?:\/(?:properties\/\w{1,60}|items|(?:one|any|all)Of\/\d{1,3}|required|type)){2,24}/g,
        (place) => [...place.matchAll(/\/properties\/(\w{1,60})/g)].map(([, key]) => key).join("."),
      )
      // A member of a schema in brackets is none of a list.
      .replace(/(?<=\.properties)\[([A-Za-z_]\w{0,60})\]/g, ".$1")
      .replace(/->[\w.$]{1,120}(?=\[\d{1,6}\])/g, "")
      .replace(/(?:->)?[\w.$]{0,120}\["(\w{1,60})"\]/g, ".$1")
  );
}

const quote = "['\"`\\\\]{0,3}";
const setting = "(?<setting>[A-Za-z_][\\w.[\\]]{0,120}?)";
/** Texts about a member of the body other than history and tools; the name alone tells the place. */
const settings: readonly (readonly [ComplaintKind, RegExp])[] = [
  ["unknown", new RegExp(`unrecognized request arguments? supplied: ?${quote}${setting}(?![\\w.[])`, "i")],
  [
    "unknown",
    new RegExp(
      `(?:unknown|unsupported) parameters?(?:: ?| ?(?=['"\`\\\\]))${quote}${setting}(?![\\w.[])`,
      "i",
    ),
  ],
  // Cerebras.
  ["unknown", new RegExp(`(?:^|["'{: ])${setting}=[\\w.]{1,20} is not supported`, "i")],
  ["unknown", new RegExp(`model doesn't support the ${quote}${setting}${quote} field`, "i")],
  // Volcano Engine.
  ["value", new RegExp(`the parameter ${quote}${setting}${quote} specified in the request`, "i")],
  ["missing", new RegExp(`missing required parameter:? ?${quote}${setting}(?![\\w.[])`, "i")],
  ["type", new RegExp(`invalid type for:? ?${quote}${setting}${quote}[:,]`, "i")],
  ["value", new RegExp(`(?:unsupported value|invalid value for):? ?${quote}${setting}${quote}[:,. ]`, "i")],
  ["unknown", new RegExp(`(?:^|["'{: ])${setting}: extra inputs are not permitted`, "i")],
  ["missing", new RegExp(`(?:^|["'{:] ?)${setting}: field required`, "i")],
  ["value", new RegExp(`(?:^|["'{:] ?)${setting}: input should be`, "i")],
  ["unknown", new RegExp(`unknown name ${quote}${setting}${quote}(?! ?at)[:,.]`, "i")],
  ["unknown", new RegExp(`property ['"]${setting}['"] is unsupported`, "i")],
  ["missing", new RegExp(`missing field [\`'"]?${setting}[\`'" ]`, "i")],
  [
    "type",
    new RegExp(`cannot unmarshal \\w{1,20} into go struct field (?:\\w{1,60}\\.)?${setting} of type`, "i"),
  ],
  ["value", new RegExp(`value error, ${quote}${setting}${quote} `, "i")],
  ["value", new RegExp(`the ['"]${setting}['"] parameter is only allowed when`, "i")],
  ["value", new RegExp(`setting ['"]${setting}['"] and ['"]\\w{1,60}['"] at the same time`, "i")],
  ["unknown", new RegExp(`(?:^|["' ,{])loc["']?: ?${setting},.{0,20}msg["']?: ?["']extra inputs`, "i")],
];

function settingIn(text: string): Complaint | undefined {
  for (const [kind, pattern] of settings) {
    const found = pattern.exec(text);
    if (found?.groups?.["setting"] !== undefined)
      return { path: segmentsOf(found.groups["setting"]), kind, words: trimmed(sentenceFrom(text, found)) };
  }
  return undefined;
}

/** A match and the rest of its sentence. */
function sentenceFrom(text: string, { 0: found, index: start }: RegExpExecArray): string {
  const end = start + found.length;
  const rest = /^(?:[^.!?,;:{}[\]]|\.(?=\w)){0,120}/.exec(text.slice(end, end + 120))?.[0] ?? "";
  return found + rest;
}

/** `messages[3].content[0]`, the usual notation of a path. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((segment) => (typeof segment === "number" ? `[${segment}]` : `.${segment}`))
    .join("")
    .replace(/^\./, "");
}

const idNames = /^(?:tool_?call_?id|tool_?use_?id|call_?id|id)$/i;
const reasoningNames =
  /^(?:reasoning\w{0,20}|thinking|redacted_thinking|signature|thought_?signature|encrypted_content)$/i;
const resultNames = /^(?:tool_result|toolResult|function_?response|output)$/i;
const contentNames = /^(?:content|parts|text|refusal)$/;

/** The rule that names the defect which a complaint about the history or the tools describes. */
export function ruleFor(complaint: Complaint): string {
  const { path, kind, words } = complaint;
  const last = path.findLast((segment) => typeof segment === "string") ?? "";
  const leaf = `${last}`;
  const [root, , third] = path;
  if (subjectOf(complaint) !== "history") return "invalid-request";
  if (path.some((segment) => reasoningNames.test(`${segment}`)))
    return kind === "missing" && !/signature/i.test(leaf) ? "dropped-reasoning" : "refused-reasoning";
  // A result without its type is read as a message, which needs a role and knows no call_id.
  if (root === "input" && path.length === 3) {
    if (kind === "missing" && (leaf === "role" || leaf === "type")) return "missing-output-type";
    if (kind === "unknown" && (leaf === "call_id" || leaf === "output")) return "missing-output-type";
  }
  if (kind === "unknown") return isForeign(leaf, `${root}`) ? "mixed-protocols" : "invalid-request";
  if (kind === "value" && root === "messages" && foreignTypes.test(words)) return "mixed-protocols";
  if (idNames.test(leaf) && kind !== "value") return "invalid-call-id";
  if (leaf === "arguments" && kind === "missing") return "invalid-request";
  if (leaf === "arguments" || (/type|value/.test(kind) && /^(?:input|args)$/.test(leaf) && path.length > 2))
    return /valid json|json string/i.test(words) ? "incomplete-arguments" : "misencoded-arguments";
  if (path.some((segment) => resultNames.test(`${segment}`)) && leaf !== "name")
    return "malformed-tool-result";
  if (kind === "type" && contentNames.test(leaf) && /\b(?:null|none)(?:type)?\b/i.test(words))
    return "empty-content";
  if (kind === "empty" && (contentNames.test(leaf) || leaf === "tool_calls" || path.length === 2))
    return "empty-content";
  if (kind === "missing" && (leaf === "content" || leaf === "parts") && third === last)
    return "empty-content";
  return "invalid-request";
}

/** Members of one API's messages that another one does not know. */
function isForeign(member: string, root: string): boolean {
  return root === "input"
    ? member === "tool_calls" || member === "tool_call_id"
    : root === "contents" && member === "tool_calls";
}

const foreignTypes =
  /invalid value:? ?['"`](?:tool_use|tool_result|tool_call|function_call\w{0,8}|input_text|tool-call|tool-result)['"`]/i;
