import { protocols } from "../src/protocols/index.ts";
import { profiles } from "../src/protocols/profiles/index.ts";
import type { Profile } from "../src/protocols/profiles/profile.ts";
import { ownProfile, speaks } from "../src/protocols/profiles/refusals.ts";
import { type Protocol, supported } from "../src/protocols/protocol.ts";
import type { RefusalText } from "../src/protocols/refusals.ts";
import { shortAnswers } from "../src/serve/answers/answer-source.ts";
import { ModelServer } from "../src/serve/model-server.ts";

/** A defect that a provider may refuse, and a body that has it, for each API. */
interface Defect {
  readonly title: string;
  readonly bodies: Readonly<Record<string, object>>;
}

const tool = { type: "object", properties: { city: { type: "string" } } };

const chat = (...messages: object[]) => ({
  model: "model",
  messages,
  tools: [{ type: "function", function: { name: "weather", parameters: tool } }],
});
const user = { role: "user", content: "Weather in Oslo?" };
const chatCall = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } });
const calls = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(chatCall) });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "Rain" });

/** Ollama's calls have no ids, and their arguments are objects. */
const ownCall = {
  role: "assistant",
  content: "",
  tool_calls: [{ function: { name: "weather", arguments: { city: "Oslo" } } }],
};

const responses = (...input: object[]) => ({
  model: "model",
  input,
  tools: [{ type: "function", name: "weather", parameters: tool, strict: false }],
});
const call = (id: string) => ({ type: "function_call", call_id: id, name: "weather", arguments: "{}" });
const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "Rain" });

const messages = (...list: object[]) => ({
  model: "model",
  max_tokens: 1000,
  messages: list,
  tools: [{ name: "weather", input_schema: tool }],
});
const uses = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "weather", input: {} })),
});
const results = (...ids: string[]) => ({
  role: "user",
  content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "Rain" })),
});

const contents = (...list: object[]) => ({
  contents: list,
  tools: [{ functionDeclarations: [{ name: "weather", parameters: tool }] }],
});
const asks = { role: "user", parts: [{ text: "Weather in Oslo?" }] };
const modelCalls = (count: number) => ({
  role: "model",
  parts: Array.from({ length: count }, () => ({ functionCall: { name: "weather", args: {} } })),
});
const answers = (count: number) => ({
  role: "user",
  parts: Array.from({ length: count }, () => ({
    functionResponse: { name: "weather", response: { weather: "Rain" } },
  })),
});

const defects: readonly Defect[] = [
  {
    title: "a call without its result",
    bodies: {
      "openai-chat": chat(user, calls("call_00001"), user),
      "openai-responses": responses(user, call("call_00001"), user),
      anthropic: messages(user, uses("toolu_00001"), user),
      gemini: contents(asks, modelCalls(1), asks),
      ollama: chat(user, ownCall, user),
    },
  },
  {
    title: "one of two results missing",
    bodies: {
      "openai-chat": chat(user, calls("call_00001", "call_00002"), result("call_00001")),
      "openai-responses": responses(user, call("call_00001"), call("call_00002"), output("call_00001")),
      anthropic: messages(user, uses("toolu_00001", "toolu_00002"), results("toolu_00001")),
      gemini: contents(asks, modelCalls(2), answers(1)),
    },
  },
  {
    title: "a result without its call",
    bodies: {
      "openai-chat": chat(user, result("call_00001")),
      "openai-responses": responses(user, output("call_00001")),
      anthropic: messages(user, results("toolu_00001")),
      gemini: contents(asks, answers(1)),
      ollama: chat(user, { role: "tool", tool_name: "weather", content: "Rain" }),
    },
  },
  {
    title: "two results for a call",
    bodies: {
      "openai-chat": chat(user, calls("call_00001"), result("call_00001"), result("call_00001")),
      "openai-responses": responses(user, call("call_00001"), output("call_00001"), output("call_00001")),
      anthropic: messages(user, uses("toolu_00001"), results("toolu_00001", "toolu_00001")),
      gemini: contents(asks, modelCalls(1), answers(2)),
    },
  },
  {
    title: "the result of another call",
    bodies: {
      "openai-chat": chat(user, calls("call_00001"), result("call_00009")),
      "openai-responses": responses(user, call("call_00001"), output("call_00009")),
      anthropic: messages(user, uses("toolu_00001"), results("toolu_00009")),
    },
  },
  {
    title: "a message between call and result",
    bodies: {
      "openai-chat": chat(user, calls("call_00001"), user, result("call_00001")),
      "openai-responses": responses(user, call("call_00001"), user, output("call_00001")),
      anthropic: messages(user, uses("toolu_00001"), user, results("toolu_00001")),
      gemini: contents(asks, modelCalls(1), asks, answers(1)),
    },
  },
  {
    title: "arguments that are no JSON",
    bodies: {
      "openai-chat": chat(
        user,
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_00001", type: "function", function: { name: "weather", arguments: '{"city":"Os' } },
          ],
        },
        result("call_00001"),
      ),
      "openai-responses": responses(
        user,
        { ...call("call_00001"), arguments: '{"city":"Os' },
        output("call_00001"),
      ),
    },
  },
  {
    title: "no message at all",
    bodies: {
      "openai-chat": chat(),
      "openai-responses": responses(),
      anthropic: messages(),
      gemini: contents(),
    },
  },
];

/** Where each API is asked. */
const paths: Readonly<Record<string, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/model:generateContent",
  ollama: "/api/chat",
};

/** What docs/refusals.md has to hold. */
export async function refusalDocs(): Promise<string> {
  const served = protocols.filter(({ loadServerSide }) => supported(loadServerSide));
  const sections: string[] = [];
  for (const protocol of served) sections.push(await section(protocol));
  return `# What providers reject, and how

[toollint](../README.md) · [serve](serve.md) · [testing](testing.md) · [record](record.md) · [rules](rules/README.md)

What [\`toollint serve\`](serve.md) and [\`toollint record --strict\`](record.md) answer instead of the provider. For each API, the first table
shows which defects each provider rejects, with the status; the second one has the error texts. \`toollint explain --error '…'\` finds the rule
for such a text. Placeholders are in braces. A dash means that the request is answered, with a warning at the end if it misleads the model.

${sections.join("\n")}`;
}

async function section(protocol: Protocol): Promise<string> {
  const speakers = profiles.filter((profile) => speaks(profile, protocol.name));
  const tested = defects.filter(({ bodies }) => protocol.name in bodies);
  const rows: string[] = [];
  for (const profile of speakers) {
    const cells: string[] = [];
    for (const { bodies } of tested)
      cells.push(await statusOf(profile, protocol, bodies[protocol.name] ?? {}));
    rows.push(`| \`${profile.name}\` | ${cells.join(" | ")} |\n`);
  }
  const owner = ownProfile(protocol.name);
  const own = wordRows(supported(protocol.refusals)?.texts ?? []);
  /** Servers that say the same share a table. */
  const others = new Map<string, string[]>();
  for (const { name, refusals } of speakers) {
    const words = wordRows(refusals?.[protocol.name]?.texts ?? []);
    if (words !== "") others.set(words, [...(others.get(words) ?? []), `\`${name}\``]);
  }
  const worded = [
    wordTable(`Error texts of ${owner?.title ?? protocol.name}`, own),
    ...[...others].map(([words, names]) => wordTable(`Other texts of ${names.join(", ")}`, words)),
  ];
  return `## ${protocol.name}

| profile | ${tested.map(({ title }) => title).join(" | ")} |
|---|${"---|".repeat(tested.length)}
${rows.join("")}
${worded.join("")}`;
}

/** The status of the answer; a dash for one that is no refusal. */
async function statusOf(profile: Profile, { name }: Protocol, body: object): Promise<string> {
  const server = await ModelServer.create({ profile, answers: shortAnswers });
  const { status } = await server.handle({
    method: "POST",
    target: paths[name] ?? "/",
    headers: { "content-type": "application/json" },
    headerList: [],
    body: Buffer.from(JSON.stringify(body)),
  });
  return server.refused.length > 0 ? String(status) : "–";
}

/** A row for each text: several rules may share it. */
function wordRows(texts: readonly RefusalText[]): string {
  const rules = new Map<string, Set<string>>();
  for (const { rule, status = 400, text, param } of texts) {
    const at = param === undefined ? "" : ` · \`${param}\``;
    const words = `${status} | ${cell(text)}${at}`;
    rules.set(words, (rules.get(words) ?? new Set()).add(`[\`${rule}\`](rules/${rule}.md)`));
  }
  return [...rules].map(([words, links]) => `| ${words} | ${[...links].join(", ")} |\n`).join("");
}

function wordTable(title: string, rows: string): string {
  return `### ${title}

| status | words | rules |
|---|---|---|
${rows}
`;
}

/** Words in a table; backticks would end a code span. */
function cell(text: string): string {
  const words = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return words.includes("`") ? `\`\` ${words} \`\`` : `\`${words}\``;
}
