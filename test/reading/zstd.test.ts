import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { TooLarge } from "../../src/reading/limit.ts";
import { isZstd, storedZstd, unzstd } from "../../src/reading/zstd.ts";

/** Lines that say what nobody said, the same ones each time. */
function story(lines: number): string {
  let seed = 7;
  const next = (count: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % count;
  };
  const words =
    "weather rain snow Bern Basel Thun degrees warm cold call result tool answer asks city sun wind".split(
      " ",
    );
  const line = (index: number): string => {
    const said = Array.from({ length: 3 + next(6) }, () => words[next(words.length)]).join(" ");
    return `{"line":${index},"text":"${said}"}\n`;
  };
  return Array.from({ length: lines }, (_, index) => line(index)).join("");
}

/** Longer than one block may be. */
const long = Array.from({ length: 50 }, (_, index) => story(60).replaceAll("Bern", `Bern ${index}`)).join("");

/** What `zstd` made of them. */
const packed: Readonly<Record<string, readonly [text: string, base64: string]>> = {
  "a short text, packed fast (zstd -3)": [
    story(40),
    "KLUv/QRY9RAAUs0nHIAlbsE6BVHOFnhJUdKfYgSogX3b45KyjBb2pD3OiXJuGiPpMFKRBukt/5TpiZQg6DBQwYqYV4RQogNT" +
      "lCwGd5/uPo0inR8+8+nefTaNlUxUL6S1+2WIyvkdz7yiszKj97X4XSawqhXZLk33DZxtAdm+d00Hpg97XwvYrQq+5cjdYmga" +
      "K+juE6DgOCvDXquh6qUcwmkD204AQTjr3IcggMiokaqiKUhlZzNwIhGqUg8RIDylGFaqZDZJpQPTlBMIwKSt5K/93B8dTtjU" +
      "2BMZicbYqEGGXYGe0kaa+qZlyh9QHoeF7AkAUASNQErwBrX/hNqQH+sY+GrPIHFJoxIy1I02Xwsl+giB/mAwrcEs/wnyLDX4" +
      "EAEX3ULSgDFhiwUu2mMjw66GBALQjVS5M1O2480qVWAFZwidJCgQEXVNWl2zkJFUOe6g+p8rNJLSz9uNVu9x1rKgTKoj2uKe" +
      "BqPeFWFQm2NwEUqtyvw6C9LA5VSobHXAAVDrSF4Un5oYUyrWc/bg3wyLwNR5XUxsbo3g56q+jqQWE/YMmuhyjwMECPbnrfDA" +
      "6LqOQws6smm6wNoh7USgw26j6mOmGXnPo9W8hNGzkK2PQ4AF4hEGIRKhk30qeymyc1nsWKeSxc9MDH+QypQn6qbQiwvkpH3e" +
      "Ff7hiAlsfcL39E6PEXJMgjAdL8rqzMK1K44TyLlBvUO3wp1EbuThoEo58swkpgqpTfTE",
  ],
  "a short text, packed well (zstd -19)": [
    story(60),
    "KLUv/QRoHRUAoosjGHDNAzAQbKR6iKhgRP+vEU3JxIT7Lv234AJ8zptr55aLgvtz3tqZL48Nvta8NbZabKHha6dIb92sOzLI" +
      "nnPWbEXhTsd+ZT6o8kC7WMnP2f+K/DEl10+u/MdpfYLrP5bKxlT58HwrCZ5TGvw0tKmTFNFVDKaOZcCkqCIrz6a5fMzGUIO6" +
      "0F8VrEE9VaaSAoEXqNGqClKQys5mcYgAEclRUT0RIESEiDWICU5KkxQ6chNqNd2c12fCLjMuxV2fYT+iQuWqVNkbgZlBKcfs" +
      "+VTLWRJECrz3arAH2a4zMrvAfOClzPya+FIUz7AlabR4GjWnDQGBSs7AsNCmCKBECRDhhcfWHUGNA6A+83MzmlR9If2gQ9TI" +
      "Rpk7KaBD867wq2h6hQp1512l2J8kSjj5rUprh0hWqEQMEOHhikmICy7J2em9kMGjjTKoFiUrKcF5fztAAco01Bpb+LYp6ZO7" +
      "46UDDAN51Di/dgY31NvtDISVhtMmDl2XPtnYYsi7faAgOBrcTDvQWV7p+AfgMjiXCz/SDn4GG+eFuF4YwX3HDWiPR0I4+9iC" +
      "hRF9Fh/PmBcdLsJjhplQMJeg02UREtxoCEPqos4xOiL02A3lmkUGUP34wgXoldZ68jN3E6ZgRqqtUgHjNe4dCjGHQsRRIJRF" +
      "NXBhQJoJgcQcpaxu3QASHcmp5l76vpR9gRfZExZ/hzodwBDKzbAfqynUJUvYuqUTK7Q3AGGE92etebB4tWNrFGto57vE2P6R" +
      "DNQ7zDTTtuSG0WRSncDI3sn8sZgAekUXLpGYTDHqnnpVxy4S+icraO9gJqGApBNa4GOiv2AEuUff5DvvMYIOJm8s3y+RuDh6" +
      "cCSignliI3jqOAsDVQR8IiuDzJniJnY8C1E+nklReoZmOqMKLIiD2g==",
  ],
  "a long text, whose blocks go on from each other": [
    long,
    "KLUv/QBYHEsAOkKECCBgaZJ0g/j6v1Bo6ssMtr9quGCMByGEEJnSsgOCKGgUEcwAewBpAFVVZULlmFLKxVJGGVqSkJyVbQrF" +
      "MYXicDuwOIwhiYSAJBIsJNDHXN4NCkhynRgn5DEWJHGYkBxqeWBxmAwQQBiSQhiSMqWQRMMhSUgKYUgYkkqwkDiohKBQQAsK" +
      "hgSxOBwQkETDSRKS44AkjoVRIJKjJAjEogACQXEcFggDCweiYcYBWSAGHBaIhgQ5PrA4Gg4KRHIMOCgUx8GhQQERYTBAIMFC" +
      "4uCAMCQFYIEBkjgWB4WCwsIBQaFwYCDAYAEBYsEggCHAAIEkFAYKAqWUUkop27Zt27Zt2/7///9/VVVVVbWqqqqqqqqqqqqq" +
      "jKqNKqPKqEoppZRSSimllFJKKSGEEEIIIYQQQgghhM4555xzzjnnnHPOOcYYY4wxxhhjjDHGmFJKKaWUUkoppZRSyrZt27Zt" +
      "27b/////X1VVVVWtqqqqqqqqCqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqoaGhoaGhoaGhoaGKaWU" +
      "UkoppZRSSiklhBBCCCGEEEIIIYTQOeecc84555xzzjnHGGOMMcYYY4wxxhhTSimllFJKCdu2bdu2bdu2bdu2bdu2bdu2bdu2" +
      "bf//////////////////////////////////////////////////////////////r6qqqqoBhG6os9OeJAWpMW0G0xs0CMeh" +
      "PHeUfBOAAMRhoXAkDITBYEAQDAaBBAKCAhFIEHgEAQYIwSAS0Mn913WPLXRhvoOujozH17JApzNSEJE/h8mkExzSJfIFZPVk" +
      "eKCVYznBkQRgvDhNBh3iA7w4n6Cpg+Ejm7KBU48c6O+Vc7LqDtvhxfgISh0sHtmUDTg5cmG/L5yTqW7YTi/OR1DrwPjIh2zA" +
      "yREH+v1xjky6xWx8Mb6CWgfGhzxli06OuNCdj3Nk0w1m4wvzCVQ9Mh7yITV0cuSF7n4cT5ZucRtdmE8g1YHxmI/UwIlHDvrn" +
      "43iydBbb+NJ8BqmODI9s5AZONHKgvw/nyaozbIcu5jNodWR45Ea2cOqRA929cE4W3WE7vBgfQa2D5SMzsgUnjxzs75VzMtUN" +
      "2+jF+AhKHRgf+ZANOjniQne/nJOpbpgdL85XUOvA8JCHbMHJERe683GebLrFbHjhfIJaD8aHPKWGTo480J2P48jSLW6jC/MZ" +
      "pDoyPOYpNXTiyIX+fhxPls5gG12aTyDVkeGRjdzCiUcO6PfjfLJ0FtvwxXwGrQ4Mj8zIBk49cqC7V87JqjvYhi/mY1B1ZHnk" +
      "RrbgpJGD3b1wTqa6YRu9OB9BrQPGIz+yBSePOOjvl3My0Q2z4cX4CmodGB7ylC06acRB776ck61umB0vnE9Q6sHwkIfU0MmR" +
      "B7r7cTxZdMPteOF8grQOxsc8pQZOHDnQn4/jyUK6sXvmsn+0LRATpIQTiPbmn+L08AUChXgC+6DxnZfWTzzvt9sAkZC9b8c6" +
      "b0Y2usAcvJzvQNcHxuN2qahTj3CY9J0zMtElxuHlfA+6LjIe7ktlnWqEw0DvnMmGLhgPF8830PWR8XBfUuvUIx0meuOYLHTB" +
      "Obh4vkFWD8bH+5JSJz3iMNM7x2SpE8zD5fENsnoweNyXVTnpiAdD3zgnS51gHlyeb9DXg+HjOqnKaUccGPrMGVl0E3PwcnwG" +
      "vR4sH9dLpZ064uGQZ87IRBeYk5fzGei6yHjcTyrt1BEehn5zTia6xDi4nO9A1wXGw32prFOPuFw8v/JBD2KkanTStS8AWAq6" +
      "TRZfACr7SHIXOODaUcQHCk2Q55Ld2mimbO0b9BbbSr9xrR2Bae3rXqJdjglEBQJRBDJrb+PEGXyy9gUUa7tChrXpRkDU+uzV" +
      "Ri12tYc+MQnW2iDRiFGKD+O7DavtJi+letWODo+qfazdhm9ItVedlI3Ka26vnlBt521kqfhPracvvKL5pjY2PqZcrsBp8b18" +
      "ho5VhyRGG01cJPf/uG88ljm5vGdpe32EvuUcUse5mkjE9YT1bH6sObv2o+V7+SwdSx1JEDeaWiTn/nTebCy5eXmrxfb0KX3r" +
      "OyQds26SiOsL49rcmHJz7WfLe+ITHa4cySFubLKI3P/pvfmY5PLiHYv35hPdrDtIG7NtUhGui4y3+bHl9rLPFu/lJ3pcOSQh" +
      "2mgykbn/xm3jsczl5j0W3utH9F13lDbK20RFXBeaZ+Njydm1n5bby0fpWOpIQrzTxEVy94+Pxhl8uXr1MWFF2oWspa6go6IQ" +
      "MpHye1QMbw29zscmBFa121kv2HgfGcJfDvhBKslmcw1JGfkmioxAsyRmcSa+n+MM/M6Gw2S06Slb5oLyC9EgJdpD1BnuEJaS" +
      "1Lrdqn4MiDLdG+0rMf25sO9drTlGgL2ZGik2Wwc5jywA4UZC9L2CGAzpBfMSopT90ORqcVTuP2yfE0+m8xiSncjxJRLjvCdk" +
      "8OQLEA4t0xHXQS1MuFAVMAfxyfnoSgZMCiuPMnfADIPQvFIfStY9Yr3E+E9RcAhyDIKIMbhZhY4lFy8BU4HQNyPVNwz/SHcH" +
      "9S3gSyw1c0MO8ock9Jyhpx2HHxdazi5N4glCgKxNi3h0kQU7Knk6eG3UNaqI5/FdEy0Dt2za3DOKomprIksun0HLB0kMeLOG" +
      "hDMuTdl9wlxcKWig09VeyqGVmXgK/ZtpEeTHfH4PvDo8/0a9FQzB5x455dP1qb8c24bfQ5TPomiJjmReaEUJzf4mtBbElFGJ" +
      "WzCQ8kvy0kDCnn24EFElc/eVB+HrCbnCPv2xUaKMS1uR7zP8BanuBnZTgwoZ6lTh/j1xm1E+KrHhsA7P0I/iz/s8SbbJm6So" +
      "zvalIJHU9iE/I/nUcBx8jtqQ5fYu8AWonz/aEN9GzoaD/z6VBpKG0pkcqi5VD5Iy9DILD5A/W613bPBiqApfx2Lu8Xb0b4gL" +
      "fhVL+XFHbP1utln42rEV4NmkwA/k8RX9hK9+0wwZFV9BzzVI+YXEjKT1w/3bFds7bmmlw6mm+3SyIYmLXco7V8bVs7i9txPj" +
      "BKyETJxRz4PKRFDfPH0gDlul6Kdn8y/vK30SK0H3dLqLIt6p2t8Wa7LpEIbJCoZxyTwAa2qjVjmJfrRctuqu5WXLYwHHusmq" +
      "JPOndhAP+aAZbbJQaTZEnK27t0E9mBnpecxZVO89DDN4KV0BpQYAswgOABYYpG3btm3btm3btm3btm3btm3btm3btm3btm3b" +
      "tm3btm3btm3btm3btm3btm3btm3btm3bEAGAhlgBABIYRPB/CCT4BwlyAqr1A2R0x06X+QCtg/0oJN3JEQX7y5kMHXjwQr4g" +
      "62MfTWl2eqSQ+TgiowN+uMQnaP3sRyHpTo4o2F/OZOjAgxfyBVkf+2hKs9MjhczHERkd8MMlPkHrZz8KSXdyRMH+ciZDBx68" +
      "kC/I+thHU5qdHilkPo7I6IAfLvEJWj/7UUi6kyMK9pczgQ0=",
  ],
};

const most = 1 << 24;

describe("Zstandard", () => {
  test.each(Object.entries(packed))("unpacks %s", (_name, [text, base64]) => {
    const bytes = Buffer.from(base64, "base64");
    expect(isZstd(bytes)).toBe(true);
    expect(unzstd(bytes, most)?.toString()).toBe(text);
  });

  test("unpacks one frame after the other, and leaves out those that are not meant to be read", () => {
    const [first, ...others] = Object.values(packed).map(([, base64]) => Buffer.from(base64, "base64"));
    const skipped = Buffer.from([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const texts = Object.values(packed).map(([text]) => text);
    expect(unzstd(Buffer.concat([first ?? skipped, skipped, ...others]), most)?.toString()).toBe(
      texts.join(""),
    );
  });

  test("unpacks what is stored as it is", () => {
    for (const text of ["", "a", story(9), long])
      expect(unzstd(storedZstd(Buffer.from(text)), most)?.toString()).toBe(text);
  });

  test("holds as much as there is where its end is missing", () => {
    const bytes = storedZstd(Buffer.from(long));
    expect(unzstd(bytes.subarray(0, -100), most)?.toString()).toBe(long.slice(0, 1 << 17));
  });

  test("that holds too much says so, and damaged ones are none, or something else", () => {
    const [, base64 = ""] = Object.values(packed)[1] ?? [];
    const bytes = Buffer.from(base64, "base64");
    expect(() => unzstd(bytes, 100)).toThrow(TooLarge);
    expect(unzstd(bytes.subarray(0, 40), most)).toBeUndefined();
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x5a;
      expect(() => unzstd(changed, most)).not.toThrow();
    }
  });

  test.runIf("zstdCompressSync" in zlib)("unpacks what Node packs", () => {
    const { zstdCompressSync: pack } = zlib as unknown as { zstdCompressSync(bytes: Buffer): Buffer };
    for (const lines of [0, 1, 3, 50, 700, 9000]) {
      const text = story(lines);
      expect(unzstd(pack(Buffer.from(text)), most)?.toString()).toBe(text);
    }
  });
});
