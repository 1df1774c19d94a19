import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { stories as sessions } from "../../test/containers/sessions.ts";
import { logs as shapes } from "../../test/containers/shapes.ts";
import { keepings } from "../../test/damage/kept-logs.ts";
import { clients } from "../../test/healthy/client.ts";
import { containers, type Kept } from "./containers.ts";
import { runs } from "./runs.ts";
import type { SeedLog } from "./seed.ts";
import { served } from "./served.ts";

/** Larger logs take more time than they tell. */
const largest = 32 << 10;

/** All logs that mutants are made of, always in the same order. */
export async function seedLogs(root: string, corpus?: string): Promise<SeedLog[]> {
  return [
    ...made(),
    ...kept(),
    ...(await streamed(root)),
    ...built(),
    ...below(join(root, "samples"), "samples", (file) => /^(?:failing|passing)\.(?!expected)/.test(file)),
    ...(corpus === undefined ? [] : below(corpus, "corpus", (file) => !/\.md$|expected/.test(file))),
  ];
}

/** Runs of clients, with and without a mistake, in each container. */
function made(): SeedLog[] {
  const seeds: SeedLog[] = [];
  for (const client of clients)
    for (const [story, tell] of Object.entries(runs)) {
      const exchanges = tell(client).log as Kept[];
      for (const [name, { file, keep }] of Object.entries(containers))
        seeds.push({
          name: `made/${client.protocol}/${name}/${story}`,
          file,
          bytes: Buffer.from(keep(exchanges)),
        });
    }
  return seeds;
}

/** A healthy run in the containers whose bodies the tests damage as bytes: archives, proxies, raw HTTP. */
function kept(): SeedLog[] {
  const latin = (value: object): string => Buffer.from(JSON.stringify(value)).toString("latin1");
  return clients.flatMap((client) => {
    const exchanges = (runs["healthy"]?.(client).log ?? []) as Kept[];
    const bodies = exchanges.map(({ url, request, response }) => ({
      url,
      request: latin(request),
      reply: latin(response as object),
    }));
    return Object.entries(keepings)
      .filter(([, { isStreams }]) => !isStreams)
      .map(([name, { file, keep }]) => ({
        name: `kept/${client.protocol}/${name}`,
        file,
        bytes: Buffer.from(keep(bodies), "latin1"),
      }));
  });
}

/** What the model server streams, in each container, and its journal. */
async function streamed(root: string): Promise<SeedLog[]> {
  const seeds: SeedLog[] = [];
  for (const { protocol, exchanges, journal } of await served(root)) {
    for (const [name, { file, keep }] of Object.entries(containers))
      seeds.push({ name: `served/${protocol}/${name}`, file, bytes: Buffer.from(keep(exchanges)) });
    seeds.push({ name: `served/${protocol}/journal`, file: "run.jsonl", bytes: journal });
  }
  return seeds;
}

/** The small logs of the tests: one for each shape and each session format. */
function built(): SeedLog[] {
  const named = [
    ...Object.entries(shapes).map(([name, log]) => [`shapes/${name}`, log] as const),
    ...Object.entries(sessions).map(([name, { log }]) => [`sessions/${name}`, log] as const),
  ];
  return named.map(([name, log]) => ({ name, file: "run.log", bytes: Buffer.from(log) }));
}

function below(folder: string, name: string, isLog: (file: string) => boolean): SeedLog[] {
  if (!existsSync(folder)) return [];
  return (readdirSync(folder, { recursive: true }) as string[])
    .sort()
    .map((file) => join(folder, file))
    .filter((file) => isLog(basename(file)) && statSync(file).isFile() && statSync(file).size <= largest)
    .map((file) => ({
      name: `${name}/${relative(folder, file)}`,
      // A leading dash would make it an option of the command.
      file: basename(file).replace(/^-+/, ""),
      bytes: readFileSync(file),
    }));
}
