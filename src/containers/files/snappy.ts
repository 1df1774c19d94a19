const short = "a page is not Snappy, as the table says";

/**
 * Unpacks a text packed with Snappy, which has to give so many bytes. Throws where it is damaged; the time is
 * that of the output, whatever lengths are stated.
 *
 * @see https://github.com/google/snappy/blob/main/format_description.txt
 */
export function unsnappy(packed: Uint8Array, length: number): Buffer {
  const input = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  let at = 0;
  while ((input[at++] ?? 0) >= 128);
  // One element of three bytes gives 64 at most.
  if (length > 64 * input.length) throw new Error(short);
  const output = Buffer.allocUnsafe(length);
  let done = 0;
  while (at < input.length) {
    const tag = input[at++] ?? 0;
    const kind = tag & 3;
    if (kind === 0) {
      const more = Math.max(0, (tag >> 2) - 59);
      if (at + more > input.length) throw new Error(short);
      const size = 1 + (more === 0 ? tag >> 2 : input.readUIntLE(at, more));
      at += more;
      if (at + size > input.length || done + size > length) throw new Error(short);
      input.copy(output, done, at, at + size);
      at += size;
      done += size;
      continue;
    }
    const width = kind === 3 ? 4 : kind;
    if (at + width > input.length) throw new Error(short);
    const low = input.readUIntLE(at, width);
    const [size, back] = kind === 1 ? [((tag >> 2) & 7) + 4, low + ((tag >> 5) << 8)] : [(tag >> 2) + 1, low];
    at += width;
    if (back === 0 || back > done || done + size > length) throw new Error(short);
    if (back >= size) output.copyWithin(done, done - back, done - back + size);
    else for (let index = done; index < done + size; index++) output[index] = output[index - back] ?? 0;
    done += size;
  }
  if (done !== length) throw new Error(short);
  return output;
}
