import { deflateRawSync, inflateRawSync } from "node:zlib";
import { crc32 } from "../reading/checksum.ts";

const entryMark = 0x04034b50;
const listMark = 0x02014b50;
const endMark = Buffer.from("PK\x05\x06", "latin1");
/** More than this is a bomb, or no log. */
const maxUnpacked = 1 << 30;
const [stored, deflated] = [0, 8];

export function isArchive(bytes: Buffer): boolean {
  return bytes.length > 4 && bytes.readUInt32LE(0) === entryMark && bytes.lastIndexOf(endMark) >= 0;
}

/**
 * A zip archive with other files of other names in place of its own, in its order; `undefined` where one
 * cannot be read, or where they unpack to more than a gigabyte.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT section 4.3
 */
export function withOtherFiles(
  archive: Buffer,
  otherOf: (content: Buffer) => Buffer,
  otherName: (name: string) => string,
): Buffer | undefined {
  const end = archive.lastIndexOf(endMark);
  if (isBomb(archive, end)) return undefined;
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let size = 0;
  for (let at = archive.readUInt32LE(end + 16); at + 46 <= end && archive.readUInt32LE(at) === listMark; ) {
    const method = archive.readUInt16LE(at + 10);
    const [packedSize, plainSize] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 24)];
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28);
    const next = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    const local = archive.readUInt32LE(at + 42);
    if (local + 30 > archive.length) return undefined;
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + packedSize);
    const content = contentOf(packed, method, plainSize);
    if (!content) return undefined;
    const other = otherOf(content);
    const data = method === stored ? other : deflateRawSync(other);
    const name = Buffer.from(otherName(archive.toString("utf8", at + 46, nameEnd)));
    // Flags, method, time; no descriptor follows the data, and no notes are kept.
    const head = Buffer.from(archive.subarray(at + 6, at + 32));
    head.writeUInt16LE(head.readUInt16LE(2) & ~8, 2);
    head.writeUInt32LE(crc32(other), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(other.length, 18);
    head.writeUInt16LE(name.length, 22);
    head.writeUInt16LE(0, 24);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(size, 10);
    list.push(Buffer.concat([archive.subarray(at, at + 6), head, place, name]));
    const mark = Buffer.alloc(4);
    mark.writeUInt32LE(entryMark);
    const entry = Buffer.concat([mark, head, name, data]);
    parts.push(entry);
    size += entry.length;
    at = next;
  }
  const close = Buffer.from(archive.subarray(end, end + 22));
  const directory = Buffer.concat(list);
  close.writeUInt32LE(directory.length, 12);
  close.writeUInt32LE(size, 16);
  close.writeUInt16LE(0, 20);
  return Buffer.concat([...parts, directory, close]);
}

/** Whether the files of an archive share their bytes, or unpack to more than any log. */
function isBomb(archive: Buffer, end: number): boolean {
  let [packed, unpacked] = [0, 0];
  for (let at = archive.readUInt32LE(end + 16); at + 46 <= end && archive.readUInt32LE(at) === listMark; ) {
    packed += archive.readUInt32LE(at + 20);
    unpacked += archive.readUInt32LE(at + 24);
    if (packed > archive.length || unpacked > maxUnpacked) return true;
    at += 46 + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return false;
}

function contentOf(packed: Buffer, method: number, size: number): Buffer | undefined {
  if (method === stored) return packed;
  if (method !== deflated) return undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1024, size) });
  } catch {
    return undefined;
  }
}
