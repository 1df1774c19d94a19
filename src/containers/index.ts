import type { AnyContainer, LazyContainer } from "../traffic/container.ts";
import { archive, flows, parquetData } from "./files/binaries.ts";
import { cassette, yamlData } from "./files/cassettes/cassette.ts";
import { csvData } from "./files/csv-data.ts";
import { har, json } from "./files/json.ts";
import { jsonl } from "./files/jsonl.ts";
import { ndjson } from "./files/ndjson.ts";
import { burpData, httprrData, nockData } from "./files/recorders.ts";
import { recording } from "./files/recording.ts";
import { asciicastData, dockerData, kubernetesData, notebookData } from "./files/runtimes.ts";
import { sqlData } from "./files/sql-data.ts";
import { sse } from "./files/sse.ts";
import { quotesYaml, textData } from "./files/text/text-data.ts";
import { sessions } from "./sessions/index.ts";

/** The YAML library is loaded only if there is YAML to read. */
const vcr: LazyContainer = { ...cassette, load: async () => (await import("./files/cassettes/vcr.ts")).vcr };
const yaml: LazyContainer = {
  ...yamlData,
  load: async () => (await import("./files/cassettes/vcr.ts")).yaml,
};

const zip: LazyContainer = { ...archive, load: async () => (await import("./files/zip.ts")).zip };
const mitmproxy: LazyContainer = {
  ...flows,
  load: async () => (await import("./files/mitmproxy.ts")).mitmproxy,
};

const parquet: LazyContainer = {
  ...parquetData,
  load: async (source) => (await import("./files/parquet.ts")).parquetOf(source),
};

const burp: LazyContainer = { ...burpData, load: async () => (await import("./files/burp.ts")).burp };
const httprr: LazyContainer = {
  ...httprrData,
  load: async () => (await import("./files/httprr.ts")).httprr,
};
const nock: LazyContainer = { ...nockData, load: async () => (await import("./files/nock.ts")).nock };

const docker: LazyContainer = {
  ...dockerData,
  load: async () => (await import("./files/docker.ts")).docker,
};
const kubernetes: LazyContainer = {
  ...kubernetesData,
  load: async () => (await import("./files/kubernetes.ts")).kubernetes,
};
const notebook: LazyContainer = {
  ...notebookData,
  load: async () => (await import("./files/notebook.ts")).notebook,
};
const asciicast: LazyContainer = {
  ...asciicastData,
  load: async () => (await import("./files/asciicast.ts")).asciicast,
};

const sql: LazyContainer = { ...sqlData, load: async () => (await import("./files/sql.ts")).sql };
const csv: LazyContainer = { ...csvData, load: async () => (await import("./files/csv.ts")).csv };
const text: LazyContainer = {
  ...textData,
  load: async (source) => {
    const { text } = await import("./files/text/text.ts");
    return quotesYaml(source) ? (await import("./files/text/yaml-blocks.ts")).readingYaml(text) : text;
  },
};

/** All containers. If several are equally certain, the first one wins. */
export const containers: readonly AnyContainer[] = [
  har,
  nock,
  vcr,
  httprr,
  burp,
  mitmproxy,
  zip,
  parquet,
  recording,
  docker,
  kubernetes,
  notebook,
  asciicast,
  sql,
  sse,
  csv,
  jsonl,
  ndjson,
  json,
  yaml,
  text,
  ...sessions,
];
