import type { Demands } from "../../conversation/exchange.ts";
import { surelyReasons } from "../openai-chat/reasoning.ts";
import { asItsProtocol, clone, geminiClone, messagesClone, responsesClone } from "./clones.ts";
import {
  cerebrasConflicts,
  deepseekConflicts,
  fireworksMessagesConflicts,
  groqConflicts,
  kimiConflicts,
  minimaxConflicts,
  mistralConflicts,
  openAiConflicts,
  openAiResponsesConflicts,
  qwenConflicts,
  xaiConflicts,
  xaiResponsesConflicts,
} from "./conflicts.ts";
import {
  besideResults,
  deepseekFaults,
  emptyArguments,
  freeformCalls,
  groqFaults,
  mistralFaults,
  openAiFaults,
  partsInResults,
  vertexFaults,
} from "./elements.ts";
import { claude, geminiOnCloud, geminiOnVertex, geminiVersions } from "./families.ts";
import { codeAssistRefusals, vertexRefusals } from "./google.ts";
import { localServers } from "./local-servers.ts";
import type { Profile } from "./profile.ts";
import { azureRefusals } from "./refusals/azure.ts";
import { bedrockRefusals } from "./refusals/bedrock.ts";
import { cerebrasErrors, cerebrasRefusals } from "./refusals/cerebras.ts";
import { dashscopeErrors, dashscopeRefusals } from "./refusals/dashscope.ts";
import { deepseekErrors, deepseekRefusals } from "./refusals/deepseek.ts";
import { fireworksRefusals } from "./refusals/fireworks.ts";
import { geminiChatRefusals } from "./refusals/gemini.ts";
import { groqErrors, groqRefusals } from "./refusals/groq.ts";
import { minimaxErrors, minimaxRefusals } from "./refusals/minimax.ts";
import { mistralErrors, mistralRefusals } from "./refusals/mistral.ts";
import { moonshotErrors, moonshotRefusals } from "./refusals/moonshot.ts";
import { nvidiaErrors, nvidiaRefusals } from "./refusals/nvidia.ts";
import { openrouterErrors, openrouterRefusals } from "./refusals/openrouter.ts";
import { xaiErrors, xaiRefusals } from "./refusals/xai.ts";
import { zaiErrors, zaiRefusals } from "./refusals/zai.ts";

/** `Unrecognized request argument supplied: …`, `…: Extra inputs are not permitted`, `Unknown name "…"` */
const strict: Partial<Demands> = { isStrict: true };
/**
 * `Invalid 'messages[4].content': empty array.`
 * @see https://github.com/langchain-ai/langchainjs/issues/11416
 */
const ownChat: Partial<Demands> = {
  ...strict,
  // The limit was 40 until 2026, as it still is on Azure.
  // @see https://github.com/vercel/ai/pull/17276
  // @see https://github.com/jin-bo/agentao/pull/321
  maxIdLength: 64,
  maxIdLengthElsewhere: 40,
  refusesEmptyLists: true,
  conflicts: openAiConflicts,
  elementFaults: openAiFaults,
};
const ownResponses: Partial<Demands> = { ...strict, conflicts: openAiResponsesConflicts };
/** All profiles, the most general last: the first that fits a model wins. */
export const profiles: readonly Profile[] = [
  {
    name: "openai",
    title: "OpenAI",
    summary: "OpenAI",
    hosts: ["api.openai.com", "chatgpt.com"],
    bareModels: /^(?:gpt-(?!oss)|o[1-9](?![a-z\d])|chatgpt-|codex-|computer-use-|ft:(?:gpt|o\d))/i,
    protocols: { "openai-chat": ownChat, "openai-responses": ownResponses },
  },
  {
    name: "azure-openai",
    title: "Azure OpenAI",
    summary: "OpenAI's models on Azure",
    hosts: ["*.openai.azure.com", "*.services.ai.azure.com", "*.cognitiveservices.azure.com"],
    paths: /^\/openai\/deployments\//,
    // A filter's verdict on the prompt precedes the first choice.
    marks: { members: ["prompt_filter_results"] },
    protocols: {
      // `Expected a string with maximum length 40, but got a string with length 41 instead.`
      // @see https://github.com/Helicone/helicone/pull/5575
      "openai-chat": { ...strict, conflicts: openAiConflicts, elementFaults: openAiFaults },
      "openai-responses": ownResponses,
    },
    refusals: azureRefusals,
  },
  {
    name: "anthropic",
    title: "Anthropic",
    summary: "Anthropic's own API",
    hosts: ["api.anthropic.com"],
    models: /^claude-/i,
    protocols: { anthropic: asItsProtocol },
    variants: claude,
  },
  {
    // `Please ensure that function call turn comes immediately after a user turn or after a function response
    // turn.`
    // @see https://github.com/google-gemini/gemini-cli/issues/11814
    name: "gemini",
    title: "Gemini",
    summary: "Google AI Studio",
    hosts: ["generativelanguage.googleapis.com"],
    bareModels: /^(?:(?:models|gemini|google|vertex_ai)\/)?gemini-/i,
    protocols: {
      gemini: { ...strict, firstRoles: ["user"] },
      "openai-chat": geminiClone,
    },
    variants: geminiVersions,
    refusals: geminiChatRefusals,
  },
  {
    // "requires all function responses to be in a single user turn": it does not merge contents before
    // counting.
    // @see https://github.com/openclaw/clawhub/issues/151
    name: "code-assist",
    title: "Code Assist",
    summary: "Google Cloud Code Assist, which Gemini CLI uses",
    hosts: ["cloudcode-pa.googleapis.com"],
    paths: /^\/v1internal:/,
    protocols: { gemini: { firstRoles: ["user"], mergesRoles: false } },
    variants: geminiOnCloud(),
    refusals: { gemini: codeAssistRefusals },
  },
  {
    name: "vertex",
    title: "Vertex AI",
    summary: "Google Vertex AI: Gemini, and Claude",
    hosts: ["aiplatform.googleapis.com", "*-aiplatform.googleapis.com"],
    paths: /^\/v1(?:beta1)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers|endpoints)\//,
    protocols: {
      // It counts calls and responses before it joins neighbouring contents (seen live on gemini-2.5-flash to
      // gemini-3.7-flash); AI Studio joins them first.
      gemini: { ...strict, firstRoles: ["user"], mergesRoles: false, elementFaults: vertexFaults },
      anthropic: asItsProtocol,
      "openai-chat": geminiClone,
    },
    variants: [...claude, ...geminiOnVertex],
    refusals: { ...geminiChatRefusals, gemini: vertexRefusals },
  },
  {
    name: "bedrock",
    title: "Bedrock",
    summary: "AWS Bedrock",
    hosts: ["*.amazonaws.com", "*.api.aws"],
    models: /^(?:[a-z]{2,6}\.)?(?:amazon|anthropic|meta|mistral|cohere|ai21|writer|deepseek|qwen|openai)\./i,
    protocols: {
      // `The toolConfig field must be defined when using toolUse and toolResult content blocks.`
      // @see https://github.com/nearai/ironclaw/issues/1629
      "bedrock-converse": { needsTools: true },
      anthropic: asItsProtocol,
    },
    refusals: bedrockRefusals,
    variants: [
      {
        // `A conversation must start with a user message.`, for all models but Claude and Qwen.
        // @see
        // https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/bedrock.py
        models: /(?:^|[.:/])(?:amazon|meta|mistral|cohere|ai21|writer)\./i,
        protocol: "bedrock-converse",
        // `This model doesn't support the reasoningContent.reasoningText.signature field`
        demands: { firstRoles: ["user"], refusesSeals: true },
      },
      {
        models: /(?:^|[.:/])(?:meta|mistral)\./i,
        protocol: "bedrock-converse",
        demands: { elementFaults: besideResults },
      },
      {
        // Claude's own pattern is stricter, and the gateway passes its errors on.
        models: /claude/i,
        protocol: "bedrock-converse",
        demands: {
          idPattern: /^[a-zA-Z0-9_-]+$/,
          refusesIdleReasoning: true,
          needsSeals: true,
          refusesThinkingPrefill: true,
        },
      },
      ...claude,
    ],
  },
  {
    // `Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9.`
    // `Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for
    // serving but got assistant`
    // `Unexpected role 'user' after role 'tool'`: some models have dropped this check.
    // @see
    // https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
    name: "mistral",
    title: "Mistral",
    summary: "Mistral's own API, and servers with its tokenizer",
    hosts: ["api.mistral.ai"],
    models: /^(?:open-)?(?:mistral|mixtral|codestral|devstral|magistral|ministral|pixtral)\b/i,
    protocols: {
      "openai-chat": {
        idPattern: /^[a-zA-Z0-9]{9}$/,
        firstRoles: ["system", "user"],
        systemFollows: ["system", "user"],
        elementFaults: mistralFaults,
        conflicts: mistralConflicts,
        refusedReasoningMembers: ["reasoning_content", "reasoning"],
        refusesUserAfterResult: true,
        refusesPrefill: true,
        refusesEmptyMessages: true,
        acceptsEmptyCalls: true,
      },
    },
    refusals: mistralRefusals,
    errorTexts: mistralErrors,
  },
  {
    // `Tool names must be unique.`, on each of its endpoints.
    // @see https://github.com/decolua/9router/pull/3333
    // Its Responses endpoint stores nothing and pairs calls with adjacent results.
    // @see https://github.com/openai/codex/issues/46193
    name: "deepseek",
    title: "DeepSeek",
    summary: "DeepSeek's own API",
    hosts: ["api.deepseek.com"],
    models: /^deepseek\b/i,
    protocols: {
      "openai-chat": {
        ...clone,
        conflicts: deepseekConflicts,
        elementFaults: deepseekFaults,
        surelyReasons,
        wantsUniqueTools: true,
      },
      // It signs thinking, and wants the signature back.
      // @see https://github.com/ranxianglei/billion-context/pull/147
      anthropic: { ...messagesClone, needsSeals: true },
      "openai-responses": {
        ...responsesClone,
        adjacency: "following-run",
        hasServerHistory: false,
        keepsRounds: true,
      },
    },
    refusals: deepseekRefusals,
    errorTexts: deepseekErrors,
  },
  {
    // `property 'reasoning' is unsupported, did you mean 'role'?`
    // @see https://github.com/karthink/gptel/issues/774
    name: "groq",
    title: "Groq",
    summary: "Groq",
    hosts: ["api.groq.com"],
    marks: { members: ["x_groq"] },
    bareModels:
      /^(?:groq\/.|llama-?3[\w.-]*-(?:versatile|instant|preview|specdec)|llama3-\w+-8192|qwen-qwq-32b)/i,
    protocols: {
      "openai-chat": {
        ...clone,
        refusedReasoningMembers: ["reasoning", "reasoning_content"],
        conflicts: groqConflicts,
        elementFaults: groqFaults,
      },
      "openai-responses": responsesClone,
    },
    refusals: groqRefusals,
    errorTexts: groqErrors,
  },
  {
    name: "xai",
    title: "xAI",
    summary: "xAI",
    // `Each message must have at least one content element.`
    // @see https://github.com/charmbracelet/crush/issues/964
    hosts: ["api.x.ai"],
    bareModels: /^grok-/i,
    isPresumed: true,
    protocols: {
      "openai-chat": {
        ...clone,
        refusesEmptyText: true,
        // @see https://github.com/AstrBotDevs/AstrBot/issues/6447
        refusesEmptyLists: true,
        conflicts: xaiConflicts,
        elementFaults: emptyArguments,
      },
      "openai-responses": {
        ...responsesClone,
        conflicts: xaiResponsesConflicts,
        elementFaults: freeformCalls,
      },
    },
    refusals: xaiRefusals,
    errorTexts: xaiErrors,
  },
  {
    // Rejects a message with neither content nor calls.
    // @see https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/models/cohere.py
    name: "cohere",
    title: "Cohere",
    summary: "Cohere v2",
    hosts: ["api.cohere.com", "api.cohere.ai"],
    protocols: {
      cohere: { refusesEmptyMessages: true },
      "openai-chat": { ...clone, refusesEmptyMessages: true },
    },
  },
  {
    // `tool_call_id  is not found`, for ids that were not sent back verbatim.
    // @see https://github.com/Gentleman-Programming/gentle-pi/issues/1052
    name: "moonshot",
    title: "Moonshot",
    summary: "Moonshot: Kimi",
    hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
    bareModels: /^(?:kimi|moonshot)-/i,
    protocols: {
      "openai-chat": { ...clone, conflicts: kimiConflicts, surelyReasons },
      "openai-responses": responsesClone,
    },
    refusals: moonshotRefusals,
    errorTexts: moonshotErrors,
  },
  {
    // `invalid params, tool call result does not follow tool call (2013)`
    // @see https://github.com/can1357/oh-my-pi/issues/2055
    name: "minimax",
    title: "MiniMax",
    summary: "MiniMax",
    hosts: ["api.minimax.io", "api.minimaxi.com", "api.minimax.chat"],
    bareModels: /^minimax-(?:m|text)/i,
    protocols: {
      // `invalid params, invalid chat setting (2013)`, for a second system message.
      // @see https://github.com/can1357/oh-my-pi/pull/954
      // @see https://github.com/MiniMax-AI/MiniMax-M2/issues/27
      "openai-chat": {
        ...clone,
        systemFirst: true,
        conflicts: minimaxConflicts,
        elementFaults: emptyArguments,
      },
    },
    refusals: minimaxRefusals,
    errorTexts: minimaxErrors,
  },
  {
    // `The messages parameter is illegal.`, for a request without a message of the user.
    // @see https://github.com/anomalyco/opencode/issues/2557
    name: "zai",
    title: "Z.ai",
    summary: "Z.ai and Zhipu: GLM",
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    bareModels: /^glm-/i,
    isPresumed: true,
    protocols: { "openai-chat": { ...clone, needsUser: true }, anthropic: messagesClone },
    refusals: zaiRefusals,
    errorTexts: zaiErrors,
  },
  {
    // `messages with role "tool" must be a response to a preceeding message with "tool_calls".`
    // @see https://github.com/philschmid/mcp-openai-gemini-llama-example/pull/5
    name: "dashscope",
    title: "DashScope",
    summary: "Alibaba's DashScope: Qwen",
    hosts: [
      "dashscope.aliyuncs.com",
      "dashscope-intl.aliyuncs.com",
      "dashscope-us.aliyuncs.com",
      "coding.dashscope.aliyuncs.com",
      "coding-intl.dashscope.aliyuncs.com",
    ],
    // Names of the service; the open models carry their size.
    bareModels: /^(?:qwen|qwq|qvq)[\w.-]*-(?:plus|max|turbo|flash|long)/i,
    protocols: {
      "openai-chat": { ...clone, conflicts: qwenConflicts },
      "openai-responses": responsesClone,
    },
    refusals: dashscopeRefusals,
    errorTexts: dashscopeErrors,
  },
  {
    name: "fireworks",
    title: "Fireworks",
    summary: "Fireworks AI",
    hosts: ["api.fireworks.ai"],
    bareModels: /^accounts\/fireworks\//i,
    isPresumed: true,
    protocols: {
      "openai-chat": clone,
      "openai-responses": responsesClone,
      anthropic: { ...messagesClone, conflicts: fireworksMessagesConflicts },
    },
    refusals: fireworksRefusals,
  },
  {
    // `property 'messages.2.assistant.reasoning_content' is unsupported`
    // @see https://github.com/CherryHQ/cherry-studio/issues/16790
    name: "cerebras",
    title: "Cerebras",
    summary: "Cerebras",
    hosts: ["api.cerebras.ai"],
    protocols: {
      "openai-chat": {
        ...clone,
        refusedReasoningMembers: ["reasoning_content"],
        conflicts: cerebrasConflicts,
      },
    },
    refusals: cerebrasRefusals,
    errorTexts: cerebrasErrors,
  },
  {
    name: "nvidia",
    title: "NVIDIA",
    summary: "NVIDIA's hosted NIM",
    hosts: ["integrate.api.nvidia.com"],
    isPresumed: true,
    protocols: { "openai-chat": { ...clone, elementFaults: partsInResults } },
    refusals: nvidiaRefusals,
    errorTexts: nvidiaErrors,
  },
  {
    // The upstream provider decides; OpenRouter itself demands nothing.
    name: "openrouter",
    title: "OpenRouter",
    summary: "OpenRouter, in front of many providers",
    hosts: ["openrouter.ai"],
    marks: { members: ["native_finish_reason"] },
    isPresumed: true,
    protocols: {
      "openai-chat": geminiClone,
      "openai-responses": responsesClone,
      anthropic: messagesClone,
    },
    variants: claude,
    refusals: openrouterRefusals,
    errorTexts: openrouterErrors,
  },
  {
    // @see https://github.com/ericc-ch/copilot-api/pull/261
    name: "github-copilot",
    title: "GitHub Copilot",
    summary: "GitHub Copilot, in front of several providers",
    hosts: ["api.githubcopilot.com", "*.githubcopilot.com"],
    isPresumed: true,
    protocols: { "openai-chat": clone, "openai-responses": asItsProtocol, anthropic: messagesClone },
    variants: claude,
  },
  ...localServers,
];
