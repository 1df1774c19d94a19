import { protocolNamed } from "../../protocols/index.ts";
import { supported } from "../../protocols/protocol.ts";

export interface LocalServer {
  readonly name: string;
  readonly base: URL;
}

/** The default ports of model servers. */
const usual = [
  { name: "Ollama", port: 11434, isOllama: true },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
  { name: "vLLM", port: 8000 },
  { name: "SGLang", port: 30000 },
  { name: "LiteLLM", port: 4000 },
] as const;

/** The servers on this machine that answer and may speak a protocol. All of them list models. */
export async function localServers(protocol: string): Promise<LocalServer[]> {
  const candidates = usual.filter((server) => "isOllama" in server || protocol.startsWith("openai"));
  const answers = await Promise.all(
    candidates.map(async ({ port }) => hasModels(`http://127.0.0.1:${port}/v1/models`)),
  );
  const basePath = supported(protocolNamed(protocol)?.endpoint)?.basePath ?? "";
  return candidates
    .filter((_, at) => answers[at])
    .map(({ name, port }) => ({ name, base: new URL(`http://127.0.0.1:${port}${basePath}`) }));
}

async function hasModels(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(500) });
    const { data } = (await reply.json()) as { data?: unknown };
    return Array.isArray(data);
  } catch {
    // No server answers there, or it is not a model server. Neither is offered.
    return false;
  }
}
