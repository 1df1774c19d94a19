import type { CheckReport } from "../findings/report.ts";
import { maskedJson } from "./masked-json.ts";
import { visibleJson } from "./visible.ts";

export interface JsonContext {
  /** Write credentials unmasked; otherwise they are masked in every text. */
  readonly showValues?: boolean;
}

/** The report as indented JSON (`schemas/report.schema.json`), in chunks; escapes invisible characters. */
export function* reportJson(report: CheckReport, { showValues = false }: JsonContext = {}): Iterable<string> {
  const written = (value: unknown, indent: string): string => {
    const text = showValues ? visibleJson(JSON.stringify(value, null, 2)) : maskedJson(value, 2);
    return text.replaceAll("\n", `\n${indent}`);
  };
  const members = Object.entries(report);
  yield "{\n";
  for (const [number, [key, value]] of members.entries()) {
    const end = number < members.length - 1 ? ",\n" : "\n";
    yield `  ${JSON.stringify(key)}: `;
    if (Array.isArray(value) && value.length > 0) {
      yield "[\n";
      for (const [index, element] of value.entries())
        yield `    ${written(element, "    ")}${index < value.length - 1 ? ",\n" : "\n"}`;
      yield `  ]${end}`;
    } else {
      yield `${written(value, "  ")}${end}`;
    }
  }
  yield "}\n";
}
