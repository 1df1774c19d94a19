import { describe } from "vitest";
import { clean, logFolder, run } from "./cases.ts";

const folder = logFolder();

describe("--profile and --target", () => {
  run(folder, [
    {
      name: "the report says for whom it was judged",
      args: ["check", "healthy.jsonl", "--profile", "groq"],
      out: "checked: 2 exchanges, 1 conversation, openai-chat, judged for groq\nno findings · passes\n",
      exit: 0,
    },
    {
      name: "a log whose requests were judged by themselves says nothing of it",
      args: ["check", "healthy.jsonl"],
      out: "checked: 2 exchanges, 1 conversation, openai-chat\nno findings · passes\n",
      exit: 0,
    },
    {
      name: "a target that wants other ids refuses the history",
      args: ["check", "healthy.jsonl", "--target", "mistral"],
      out: /^The client sends call ids of the wrong form\.(?:.*\n)*.*error\[invalid-call-id\](?:.*\n)*.*judged as if sent to mistral/,
      exit: 1,
    },
    {
      name: "a target that takes it is content",
      args: ["check", "healthy.jsonl", "--target", "anthropic/claude-opus-4-6"],
      out: /^checked: .*judged as if sent to anthropic\/claude-opus-4-6\s[\s\S]*no findings · passes\n$/,
      exit: 0,
    },
    {
      name: "the report repeats the model that was named, so that a slip is seen",
      args: ["check", "healthy.jsonl", "--profile", "groq/lama-3"],
      out: "checked: 2 exchanges, 1 conversation, openai-chat, judged for groq/lama-3\nno findings · passes\n",
      exit: 0,
    },
    {
      name: "a profile may be written in capitals",
      args: ["check", "healthy.jsonl", "--profile", "OpenAI"],
      out: clean,
      exit: 0,
    },
    {
      name: "the report for programs says how the judge was found",
      args: ["check", "healthy.jsonl", "--target", "bedrock", "--format", "json"],
      out: /"judgedFor": \[\s*\{\s*"profile": "bedrock",\s*"by": "target",\s*"exchanges": 2\s*\}\s*\]/,
      exit: 0,
    },
    {
      name: "a misspelt profile is recognised, and the list follows",
      args: ["check", "healthy.jsonl", "--profile", "llamacpp"],
      err: /^toollint: there is no profile `llamacpp`; did you mean `llama\.cpp`\?\n {2}There are openai, .*, local: see `toollint formats`\.\n$/,
      exit: 2,
    },
    {
      name: "a misspelt target with a model, too",
      args: ["check", "healthy.jsonl", "--target", "antropic/claude-opus-4-6"],
      err: /^toollint: there is no profile `antropic\/claude-opus-4-6`; did you mean `anthropic`\?\n/,
      exit: 2,
    },
    {
      name: "a name of the prototype is no profile",
      args: ["check", "healthy.jsonl", "--profile", "constructor"],
      err: /there is no profile `constructor`/,
      exit: 2,
    },
    {
      name: "a profile that speaks no protocol of the log has judged nothing",
      args: ["check", "healthy.jsonl", "--profile", "anthropic"],
      out: /^no findings · fails: the requests of healthy.jsonl cannot have gone to anthropic: /m,
      err: "toollint: the requests of healthy.jsonl cannot have gone to anthropic: it speaks anthropic, and they are openai-chat\n  Would they be accepted there? `--target anthropic`\n",
      exit: 2,
    },
    {
      name: "both at once make no sense",
      args: ["check", "healthy.jsonl", "--profile", "openai", "--target", "groq"],
      err: "toollint: `--profile` says where the requests went, `--target` where they will go: use one of them\n",
      exit: 2,
    },
    {
      name: "formats lists the profiles",
      args: ["formats"],
      out: /\nProfiles: providers whose rules requests are checked against\n {2}openai +OpenAI\n(?:.*\n)* {2}llama\.cpp +llama\.cpp's server\n/,
      exit: 0,
    },
    {
      name: "formats for programs has their hosts and protocols",
      args: ["formats", "--format", "json"],
      out: /"name": "groq",\s*"summary": "Groq",\s*"protocols": \[\s*"openai-chat",\s*"openai-responses"\s*\],\s*"hosts": \[\s*"api\.groq\.com"\s*\]/,
      exit: 0,
    },
  ]);
});
