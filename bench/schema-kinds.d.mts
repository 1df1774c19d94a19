interface Kind {
  readonly schema?: Readonly<Record<string, unknown>>;
  /** One schema for each tool, where there are several. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly calls: readonly object[];
}

export const kinds: Readonly<Record<string, (n: number) => Kind>>;
export function hostileLog(name: string, n: number): string;
