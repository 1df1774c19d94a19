/** Texts that are no JSON value: each breaks one rule of the grammar of RFC 8259, by its sections. Bytes as latin1. */
export const invalidValues: readonly (readonly [name: string, value: string])[] = [
  // Section 3, values: three words are known, in lower case.
  ["a star", "*"],
  ["a bare word", "nope"],
  ["a word of JavaScript", "undefined?"],
  ["a call", "ObjectId(1)"],
  ["a template", "{{value}}"],
  ["an angle bracket", "<null>"],
  ["half a word", "nul"],
  ["a dollar", "$"],
  // Section 4 and 5, objects and arrays.
  ["an object without a colon", '{"a" 1}'],
  ["an object without a value", '{"a":}'],
  ["an object with a bare key", "{a b:1}"],
  ["an object with two colons", '{"a"::1}'],
  ["an object with a number as its key", "{1:1}"],
  ["an array with a colon", '["a":1]'],
  ["an array without a comma", "[1 2]"],
  ["an array that closes as an object", "[1}"],
  ["an object that closes as an array", '{"a":1]'],
  ["an array in doubled brackets", "[1]]"],
  // Section 6, numbers.
  ["a minus alone", "- "],
  ["a number with two points", "1.2.3?"],
  ["a number in hex", "0x1F?"],
  ["a number with a full-width digit", "\xef\xbc\x91"],
  ["a number with a comma", "1,2:3"],
  // Section 7, strings.
  ["a string that is not closed", '"a'],
  ["a string with one quote too many", '"a"b"'],
  ["a string in single quotes", "'a'"],
  ["a string in typographic quotes", "\xe2\x80\x9ca\xe2\x80\x9d"],
  ["a quote alone", '"'],
  // Section 2 and 8, white space and encoding.
  ["a byte that is not UTF-8", "\xff"],
  ["half a character", "\xe2\x82"],
  ["a NUL byte", "\0"],
  ["a no-break space", "\xc2\xa0"],
  ["a byte order mark", "\xef\xbb\xbf"],
  ["a form feed", "\f"],
  ["a comment", "/* gone */ *"],
];
