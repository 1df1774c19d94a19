/**
 * The logs of gateways, recorders and tracing tools that `toollint formats` names. They need no reader of
 * their own: their payloads are found by shape in JSON lines, in a document, or between the lines of a log.
 */
export interface Shape {
  readonly name: string;
  readonly summary: string;
  /** The keys or texts by which it is recognized. */
  readonly signs: string;
  /** `sent`: bodies as they went over the wire. `told`: a report of them in the tool's own form. */
  readonly holds: "sent" | "told";
}

/** In the order of `toollint formats`. */
export const shapes: readonly Shape[] = [
  sent(
    "pairs",
    "requests and replies that a program logged itself",
    "bodies under any key, joined by ids or by order",
  ),
  sent(
    "curl",
    "curl commands with their bodies, as shells and browsers write them",
    "curl, an address, -d or --data",
  ),
  sent(
    "claude-trace",
    "what claude-trace writes (.claude-trace/log-*.jsonl)",
    "request and response, with body or body_raw",
  ),
  sent(
    "llm-interceptor",
    "captures of llm-interceptor",
    "request, and response_chunk lines with its request_id",
  ),
  sent("litellm", "payloads that LiteLLM passes to its callbacks", "call_type next to messages and response"),
  sent("bedrock-invocations", "AWS Bedrock's log of model invocations", "inputBodyJson and outputBodyJson"),
  sent(
    "openhands-completions",
    "llm_completions of OpenHands, one file per request",
    "messages, kwargs and response",
  ),
  sent(
    "devtools",
    "what the AI SDK's DevTools store (.devtools/generations.json)",
    "steps with raw_request and raw_response",
  ),
  sent(
    "openai-debug",
    "OPENAI_LOG=debug of older openai packages for Python: requests only",
    "Request options: and a Python literal",
  ),
  sent("autogen-events", "events that AutoGen logs", "type LLMCall with messages and response"),
  sent(
    "wiremock",
    "mappings and the journal of WireMock; likewise MockServer and Hoverfly",
    "request and response, bodies as text",
  ),
  sent(
    "collections",
    "collections of Postman, Hoppscotch and Bruno with the replies that were saved",
    "originalRequest next to a reply, in folders of requests",
  ),
  sent("llama-stack", "recordings of llama-stack", "request and response, with body and __data__"),
  sent(
    "mlflow",
    "traces of MLflow, calls of Weave, records of Logfire, if they contain the bodies",
    "mlflow.spanInputs; op_name with inputs; request_data and response_data",
  ),
  reported(
    "mini-swe-agent",
    "trajectories of mini-swe-agent: commands are text, so they contain no calls",
    "messages next to info or trajectory_format",
  ),
  reported("training", "training examples, one conversation per line", "messages, and tools next to them"),
  reported(
    "opentelemetry",
    "spans with GenAI attributes or events, as OTLP JSON or one by one; OpenLLMetry and Logfire too",
    "gen_ai.input.messages, gen_ai.prompt.N, gen_ai.user.message",
  ),
  reported(
    "openinference",
    "spans of OpenInference: Arize, Phoenix",
    "llm.input_messages.N, llm.output_messages.N",
  ),
  reported(
    "ai-sdk-spans",
    "spans of the Vercel AI SDK's telemetry",
    "ai.prompt.messages, ai.response.toolCalls",
  ),
  reported(
    "langfuse",
    "traces and observations of Langfuse",
    "observations of type GENERATION, with input and output",
  ),
  reported(
    "langsmith",
    "runs of LangSmith, also batches with post and patch",
    "run_type llm, with inputs and outputs",
  ),
  reported("braintrust", "spans of Braintrust", "span_attributes of type llm, with input and output"),
  reported(
    "datadog",
    "spans of Datadog's LLM Observability",
    "span_kind llm, with input.messages and output.messages",
  ),
];

function sent(name: string, summary: string, signs: string): Shape {
  return { name, summary, signs, holds: "sent" };
}

function reported(name: string, summary: string, signs: string): Shape {
  return { name, summary, signs, holds: "told" };
}
