import { pushAll } from "../../../reading/lists.ts";
import type { ByteSource } from "../../../reading/source.ts";
import type { Patch } from "../../../reading/view.ts";
import type { Resizing } from "../../../traffic/container.ts";
import { statesLengths } from "../stated-lengths.ts";
import { headerKey, recordsOf } from "./records.ts";
import { scalarReader, yamlDocuments } from "./yaml-document.ts";
import type { YamlNode, YamlScalar } from "./yaml-nodes.ts";

/** Patches that update the `Content-Length` headers of these bodies, if they were correct before. */
export function cassetteLengths(source: ByteSource, { bodies }: Resizing): Patch[] {
  if (!statesLengths(source.read(0, source.size))) return [];
  const reader = scalarReader(source);
  const patches: Patch[] = [];
  for (const { root, isList } of yamlDocuments(source)) {
    if (!root || !bodies.some(({ start }) => root.start <= start && start < root.end)) continue;
    for (const { request } of recordsOf(root, isList)) {
      const own = request && bodies.filter(({ start }) => request.start <= start && start < request.end);
      if (request?.kind !== "map" || !own) continue;
      for (const body of own) {
        const scalar = scalarAt(request, body.start);
        const lengths = [body.length, ...(scalar ? [reader.view(scalar).size] : [])];
        for (const { key, node } of request.members) {
          if (headerKey.test(key)) pushAll(patches, stated(source, lengthIn(node), lengths, body.growth));
        }
      }
    }
  }
  return patches;
}

function scalarAt(node: YamlNode, at: number): YamlScalar | undefined {
  if (node.kind === "scalar") return node.start <= at && at < node.end ? node : undefined;
  const parts = node.kind === "seq" ? node.items : node.members.map((member) => member.node);
  for (const part of parts) {
    const found = scalarAt(part, at);
    if (found) return found;
  }
  return undefined;
}

function lengthIn(headers: YamlNode): YamlScalar | undefined {
  if (headers.kind !== "map") return undefined;
  const value = headers.members.find(({ key }) => /^content-length$/i.test(key))?.node;
  const only = value?.kind === "seq" && value.items.length === 1 ? value.items[0] : value;
  return only?.kind === "scalar" ? only : undefined;
}

function stated(
  source: ByteSource,
  scalar: YamlScalar | undefined,
  lengths: readonly number[],
  growth: number,
): Patch[] {
  if (!scalar) return [];
  const raw = source.read(scalar.start, scalar.end).toString("latin1");
  const match = /^(["']?)(\d{1,12})\1$/.exec(raw);
  if (!match?.[2] || !lengths.some((length) => `${length}` === match[2])) return [];
  const start = scalar.start + (match[1]?.length ?? 0);
  return [{ start, end: start + match[2].length, bytes: Buffer.from(`${Number(match[2]) + growth}`) }];
}
