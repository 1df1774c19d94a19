/** Makes a log smaller while it still fails: by lines first, then by bytes. */
export async function minimised(
  bytes: Buffer,
  fails: (bytes: Buffer) => Promise<boolean>,
  tries = 400,
): Promise<Buffer> {
  let left = tries;
  const still = async (parts: readonly Buffer[]): Promise<boolean> =>
    left-- > 0 && (await fails(Buffer.concat(parts)));
  const lines = await withoutParts(split(bytes), still);
  const rest = Buffer.concat(lines);
  const size = Math.max(1, rest.length >> 7);
  const slices = Array.from({ length: Math.ceil(rest.length / size) }, (_, index) =>
    rest.subarray(index * size, (index + 1) * size),
  );
  return Buffer.concat(await withoutParts(slices, still));
}

function split(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const feed = bytes.indexOf(10, from);
    const end = feed < 0 ? bytes.length : feed + 1;
    lines.push(bytes.subarray(from, end));
    from = end;
  }
  return lines;
}

/** Leaves out halves, then quarters, and so on, wherever what remains still fails. */
async function withoutParts(
  all: readonly Buffer[],
  still: (parts: readonly Buffer[]) => Promise<boolean>,
): Promise<readonly Buffer[]> {
  let parts = all;
  for (let size = all.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < parts.length; ) {
      const fewer = parts.toSpliced(at, size);
      if (fewer.length > 0 && (await still(fewer))) parts = fewer;
      else at += size;
    }
  return parts;
}
