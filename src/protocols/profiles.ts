import type { Demands } from "../conversation/exchange.ts";

/**
 * What a provider demands where it differs from the protocol that it speaks. The same history is judged for where it was sent. A table is
 * filled from the providers' own errors and recordings only; what is not known there is not demanded.
 */
export interface Profile {
  /** As users type it. */
  readonly name: string;
  /** Hosts at which these are the demands; a leading dot stands for any subdomain. */
  readonly hosts: readonly string[];
  /** Models that are this provider's own, wherever they are served; their demands are then only presumed. */
  readonly models?: RegExp;
  /** The protocols that it speaks, by name, and what is different there. */
  readonly protocols: Readonly<Record<string, Partial<Demands>>>;
  /** What only some of its models demand; all that fit hold. */
  readonly variants?: readonly { readonly models: RegExp; readonly demands: Partial<Demands> }[];
}

const anything: Partial<Demands> = {};
/** Clones of the chat API take ids of any length: the 40 characters are OpenAI's own limit. */
const anyId: Partial<Demands> = { maxIdLength: Number.POSITIVE_INFINITY };

const profiles: readonly Profile[] = [
  {
    name: "openai",
    hosts: ["api.openai.com", "chatgpt.com"],
    protocols: { "openai-chat": anything, "openai-responses": anything },
  },
  {
    name: "azure-openai",
    hosts: [".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"],
    protocols: { "openai-chat": anything, "openai-responses": anything },
  },
  {
    name: "anthropic",
    hosts: ["api.anthropic.com"],
    models: /^claude-/i,
    protocols: { anthropic: anything },
    variants: [
      {
        // `This model does not support assistant message prefill. The conversation must end with a user message.`
        // @see https://github.com/ericc-ch/copilot-api/pull/261
        models: /^claude-(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])(?!\d)/i,
        demands: { refusesPrefill: true },
      },
      {
        // `messages: final assistant content cannot end with trailing whitespace`
        // @see https://github.com/tailcallhq/forgecode/issues/1872
        models: /^claude-(?:[123]|(?:opus|sonnet|haiku)-4-(?:[0-5]|\d{8}))(?!\d)/i,
        demands: { refusesTrailingSpace: true },
      },
    ],
  },
  { name: "gemini", hosts: [".googleapis.com"], protocols: { gemini: anything } },
  {
    name: "bedrock",
    hosts: [".amazonaws.com"],
    protocols: { "bedrock-converse": anything, anthropic: anything },
  },
  {
    // `Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9.`
    // @see https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
    name: "mistral",
    hosts: ["api.mistral.ai"],
    models: /^(?:open-)?(?:mistral|mixtral|codestral|devstral|magistral|ministral|pixtral)\b/i,
    protocols: {
      "openai-chat": {
        idPattern: /^[a-zA-Z0-9]{9}$/,
        refusesEmptyMessages: true,
        acceptsEmptyCalls: true,
      },
    },
  },
  {
    // Its Responses endpoint keeps nothing, and pairs calls with the results next to them.
    // @see https://github.com/openai/codex/issues/46193
    name: "deepseek",
    hosts: ["api.deepseek.com"],
    models: /^deepseek\b/i,
    protocols: {
      "openai-chat": anyId,
      "openai-responses": { adjacency: "following-run", hasServerHistory: false, keepsRounds: true },
    },
  },
  {
    // `property 'reasoning' is unsupported, did you mean 'role'?`
    // @see https://github.com/karthink/gptel/issues/774
    name: "groq",
    hosts: ["api.groq.com"],
    protocols: { "openai-chat": { ...anyId, refusedReasoningMembers: ["reasoning"] } },
  },
  {
    // What stands behind it decides, so nothing of its own is demanded.
    name: "openrouter",
    hosts: ["openrouter.ai"],
    protocols: { "openai-chat": anyId, "openai-responses": anything, anthropic: anything },
  },
  {
    name: "ollama",
    hosts: ["ollama.com"],
    protocols: {
      ollama: anything,
      "openai-chat": { ...anyId, refusesUnanswered: false, refusesOrphans: false },
    },
  },
];

/** The profile by which a request is judged, and whether it surely went there; `undefined` where only the protocol is known. */
export function profileOf(
  protocol: string,
  url: string | undefined,
  model: string | undefined,
): { readonly profile: Profile; readonly isCertain: boolean } | undefined {
  const spoken = profiles.filter((profile) => Object.hasOwn(profile.protocols, protocol));
  const byHost = spoken.find(({ hosts }) => url !== undefined && isHostOf(url, hosts));
  if (byHost) return { profile: byHost, isCertain: true };
  const byModel = spoken.find(({ models }) => model !== undefined && models?.test(model));
  return byModel && { profile: byModel, isCertain: false };
}

/** The demands of a model behind a profile, where they differ from those of the protocol. */
export function demandsOf(
  { protocols, variants = [] }: Profile,
  protocol: string,
  model: string | undefined,
): Partial<Demands> {
  const own = variants.filter(({ models }) => model !== undefined && models.test(model));
  return Object.assign({}, protocols[protocol], ...own.map(({ demands }) => demands));
}

function isHostOf(url: string, hosts: readonly string[]): boolean {
  const host = /^https?:\/\/([^/:?#]+)/.exec(url)?.[1]?.toLowerCase();
  return (
    host !== undefined &&
    hosts.some((known) => (known.startsWith(".") ? host.endsWith(known) : host === known))
  );
}
