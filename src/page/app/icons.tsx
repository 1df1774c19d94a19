import type { PageFinding } from "../data.ts";

const shapes: Readonly<Record<PageFinding["severity"], string>> = {
  // A disc with a cross, a triangle with a mark, a ring with a dot: they differ without colours, too.
  error:
    "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1ZM5.6 4.5 8 6.9l2.4-2.4 1.1 1.1L9.1 8l2.4 2.4-1.1 1.1L8 9.1l-2.4 2.4-1.1-1.1L6.9 8 4.5 5.6Z",
  warning: "M8 1.2 15.6 14.5H.4ZM7.2 6v4.2h1.6V6Zm0 5.2v1.6h1.6v-1.6Z",
  info: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 1.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 8 2.6ZM7.2 7v4.5h1.6V7Zm0-2.5v1.6h1.6V4.5Z",
};

/** The sign of a severity, in its colour. */
export function SeverityIcon({ severity }: { readonly severity: PageFinding["severity"] }) {
  return (
    <svg class={`icon ${severity}`} viewBox="0 0 16 16" role="img" aria-label={severity}>
      <path fill-rule="evenodd" d={shapes[severity]} />
    </svg>
  );
}
