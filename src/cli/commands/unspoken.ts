import type { FileReport } from "../../findings/report.ts";

/** Reports a profile that judged nothing, because it speaks none of the logs' protocols. */
export function unspoken(
  files: readonly FileReport[],
  profile: { readonly name: string; readonly protocols: readonly string[] } | undefined,
): string[] {
  const wasUsed = files.some(({ judgedFor = [] }) => judgedFor.some(({ by }) => by === "profile"));
  if (!profile || wasUsed || files.length === 0) return [];
  const { name, protocols: spoken } = profile;
  const [first] = files;
  return [
    `the requests of ${files.length === 1 ? first?.path : "these logs"} cannot have gone to ${name}: it speaks ${spoken.join(", ")}, and they are ${[...new Set(files.flatMap((file) => file.protocols))].join(", ")}\nWould they be accepted there? \`--target ${name}\``,
  ];
}
