import { describe, expect, test } from "vitest";
import { clientVariables, routeOf, upstreamsOf } from "../../src/record/upstreams.ts";

const usual = upstreamsOf({}, new Map());

describe("clients are led to the recorder by the variables that they read", () => {
  test("each with the path that it expects", () => {
    expect(clientVariables(usual, "http://127.0.0.1:8787")).toEqual({
      OPENAI_BASE_URL: "http://127.0.0.1:8787/openai/v1",
      OPENAI_API_BASE: "http://127.0.0.1:8787/openai/v1",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:8787/anthropic",
      GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:8787/gemini",
      OLLAMA_HOST: "http://127.0.0.1:8787/ollama",
      GROQ_BASE_URL: "http://127.0.0.1:8787/groq",
    });
  });

  test("a gateway that a variable names stays where the traffic goes", () => {
    const upstreams = upstreamsOf(
      { OPENAI_BASE_URL: "https://gateway.example/team/v1", AZURE_OPENAI_ENDPOINT: "https://us.example" },
      new Map(),
    );
    expect(routeOf("/openai/v1/responses", upstreams)?.url.href).toBe(
      "https://gateway.example/team/v1/responses",
    );
    expect(
      routeOf("/azure-openai/openai/deployments/x/chat/completions?api-version=1", upstreams)?.url.href,
    ).toBe("https://us.example/openai/deployments/x/chat/completions?api-version=1");
  });

  test("an address that the user names comes before all", () => {
    const named = new Map([["", new URL("http://127.0.0.1:8000/v1")]]);
    const upstreams = upstreamsOf({ OPENAI_BASE_URL: "https://gateway.example/v1" }, named);
    expect(routeOf("/openai/v1/chat/completions", upstreams)?.url.href).toBe(
      "http://127.0.0.1:8000/v1/chat/completions",
    );
  });

  test("a host without a scheme is a host", () => {
    const upstreams = upstreamsOf({ OLLAMA_HOST: "10.0.0.7:11434" }, new Map());
    expect(routeOf("/ollama/api/chat", upstreams)?.url.href).toBe("http://10.0.0.7:11434/api/chat");
  });
});

describe("a request goes on to where its path says", () => {
  test.each([
    ["/openai/v1/chat/completions", "https://api.openai.com/v1/chat/completions"],
    ["/openai/chat/completions", "https://api.openai.com/v1/chat/completions"],
    ["/openrouter/chat/completions", "https://openrouter.ai/api/v1/chat/completions"],
    ["/anthropic/v1/messages?beta=true", "https://api.anthropic.com/v1/messages?beta=true"],
    [
      "/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    ],
    // A client that was told the bare address.
    ["/api/chat", "http://127.0.0.1:11434/api/chat"],
    ["/v1/messages", "https://api.anthropic.com/v1/messages"],
    ["/v1/responses", "https://api.openai.com/v1/responses"],
    ["/chat/completions", "https://api.openai.com/v1/chat/completions"],
    [
      "/v1beta/models/gemini-2.5-pro:generateContent",
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
    ],
  ])("%s", (target, expected) => {
    expect(routeOf(target, usual)?.url.href).toBe(expected);
  });

  test.each([["/favicon.ico"], ["/"], ["/nobody/v1/x"], ["//evil.example/v1/x"]])(
    "%s goes nowhere",
    (target) => {
      expect(routeOf(target, usual)).toBeUndefined();
    },
  );

  test("never to a host that the path names", () => {
    expect(routeOf("/openai//evil.example/x", usual)?.url.host).toBe("api.openai.com");
    expect(routeOf("/openai/@evil.example/x", usual)?.url.host).toBe("api.openai.com");
  });

  test.each([["/openai/../../evil"], ["/openai/v1/%2e%2e/admin"], ["/openai/../v1evil"]])(
    "nor to a path of its host outside the upstream's: %s",
    (target) => {
      expect(routeOf(target, usual)).toBeUndefined();
    },
  );
});
