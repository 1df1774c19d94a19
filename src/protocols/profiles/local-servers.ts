import type { Demands } from "../../conversation/exchange.ts";
import { asItsProtocol, messagesClone } from "./clones.ts";
import { ollamaTemplates, templates } from "./families.ts";
import type { Profile } from "./profile.ts";
import {
  llamaCppErrors,
  llamaCppRefusals,
  ollamaChatRefusals,
  templateErrors,
  vllmErrors,
  vllmRefusals,
} from "./refusals/templates.ts";

/** The server does not check calls and results, so their errors reach the model. */
const unchecked: Partial<Demands> = {
  adjacency: "anywhere",
  resultsFirst: false,
  refusesUnanswered: false,
  refusesOrphans: false,
  refusesDuplicateResults: false,
  refusesEmptyText: false,
  acceptsEmptyCalls: true,
  maxIdLength: Number.POSITIVE_INFINITY,
};

/** What servers of one's own speak; the template decides what they refuse. */
const localServer: Profile["protocols"] = {
  "openai-chat": unchecked,
  "openai-responses": { ...unchecked, itemPrefixes: undefined, looksIdsUp: false },
  anthropic: { ...messagesClone, ...unchecked, idPattern: /^/ },
};

/** Servers that run open models, mostly one's own; the last stands for all that have no profile. */
export const localServers: readonly Profile[] = [
  {
    // Ollama checks no calls or results. The template renders what it gets, and the model misbehaves.
    // @see https://github.com/ollama/ollama/blob/main/openai/openai.go
    name: "ollama",
    title: "Ollama",
    summary: "Ollama, also its cloud",
    hosts: ["ollama.com"],
    marks: { fingerprint: /^fp_ollama$/ },
    protocols: {
      ollama: asItsProtocol,
      "openai-chat": unchecked,
      "openai-responses": { ...unchecked, itemPrefixes: undefined, looksIdsUp: false },
      anthropic: { ...unchecked, ...messagesClone, idPattern: /^/ },
    },
    variants: ollamaTemplates,
    refusals: ollamaChatRefusals,
  },
  {
    // `Cannot have 2 or more assistant messages at the end of the list.`
    // @see https://github.com/co-l/openfox/issues/367
    name: "llama.cpp",
    title: "llama.cpp",
    summary: "llama.cpp's server",
    hosts: [],
    marks: { fingerprint: /^b\d{1,7}-[0-9a-f]{6,40}$/ },
    protocols: {
      "openai-chat": { ...unchecked, refusesTwoAtEnd: true },
      anthropic: { ...unchecked, ...messagesClone, idPattern: /^/ },
    },
    variants: templates,
    refusals: llamaCppRefusals,
    errorTexts: llamaCppErrors,
  },
  {
    name: "vllm",
    title: "vLLM",
    summary: "vLLM",
    hosts: [],
    protocols: localServer,
    variants: [
      ...templates,
      {
        // The template of Llama 3 fails on an empty list, with a 500.
        // @see https://github.com/vllm-project/vllm/issues/13978
        models: /llama/i,
        protocol: "openai-chat",
        demands: { acceptsEmptyCalls: false },
      },
    ],
    refusals: vllmRefusals,
    errorTexts: vllmErrors,
  },
  {
    name: "lm-studio",
    title: "LM Studio",
    summary: "LM Studio",
    hosts: [],
    protocols: localServer,
    variants: templates,
    refusals: vllmRefusals,
  },
  {
    name: "local",
    title: "the server",
    summary: "any other server of one's own: SGLang, TGI, mlx-lm, LocalAI",
    hosts: [],
    protocols: localServer,
    variants: templates,
    refusals: vllmRefusals,
    errorTexts: templateErrors,
  },
];
