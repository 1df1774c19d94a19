/**
 * JSON texts by the grammar of RFC 8259, section by section: `legal` ones, `wrong` ones, and those of which the
 * standard leaves to the reader what becomes of them. Bytes as latin1, so that a text may hold any.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const around = (texts: readonly string[], before: string, after: string): string[] =>
  texts.map((text) => before + text + after);

/** Section 2 and 3: white space, and the three words. */
const spaces = [" ", "\t", "\n", "\r", "\r\n", " \t \n "];
const words = ["null", "true", "false"];
/** Section 6. */
const numbers = [
  ...["0", "-0", "1", "-1", "10", "123456789", "0.5", "-0.5", "0.0", "1.25", "100.001"],
  ...["1e5", "1E5", "1e+5", "1e-5", "0e0", "0e+1", "-0e-1", "1.5e10", "1.5E-10", "20e1", "0.1e1"],
];
const wrongNumbers = [
  ...[
    "+1",
    "01",
    "-01",
    "00",
    "012",
    "-012",
    ".5",
    "-.5",
    "5.",
    "-5.",
    "1.e5",
    "0.",
    "0.e1",
    "1e",
    "1e+",
    "1e-",
  ],
  ...[
    "1E",
    "1eE2",
    "1e5.5",
    "1.2.3",
    "1+2",
    "1 000",
    "1_000",
    "0x10",
    "0b1",
    "0o7",
    "1f",
    "1n",
    "--1",
    "- 1",
    "-",
  ],
  ...["NaN", "-NaN", "Infinity", "-Infinity", "inf", "1/2", "1a", "-foo", "0.3e+", "9.e+", "2.e-3", "++1234"],
];
/** Section 7. */
const strings = [
  ...[
    '""',
    '" "',
    '"a"',
    '"a\\"b"',
    '"\\\\"',
    '"\\/"',
    '"\\b\\f\\n\\r\\t"',
    '"\\u0041"',
    '"\\u00e9"',
    '"\\u20AC"',
  ],
  ...[
    '"\\uD834\\uDD1E"',
    '"\\u0000"',
    '"\\u001f"',
    '"\\u2028\\u2029"',
    '"\\uFEFF"',
    '"\\uffff"',
    '"/"',
    '"\x7f"',
  ],
  ...['"[1,2]"', '"{\\"a\\":1}"', '"// no comment"', '"a/*b*/c"', '"\\\\u0041"', '"\\\\\\""'],
  ...['"\u00e9"', '"\u20ac"', '"\u{1f600}"', '"\u2028"', '"\u00a0"', '"\u0085"'].map(utf8),
];
const wrongStrings = [
  ...['"', '"a', 'a"', '"\\"', '"\\', '"a\\"', "'a'", "'", "`a`", "a", '"a""b"', '"a"b"', '"""', "\\u0041"],
  ...['\\"a\\"', "\u201ca\u201d"].map(utf8),
];
const wrongInStrings = [
  ...[
    '"\\a"',
    '"\\x41"',
    '"\\0"',
    '"\\1"',
    '"\\\'"',
    '"\\U0041"',
    '"\\u"',
    '"\\u1"',
    '"\\u12"',
    '"\\u123"',
    '"\\u123g"',
  ],
  ...[
    '"\\uD834\\u"',
    '"\\uD800\\u1"',
    '"\\u{41}"',
    '"\\ "',
    '"\\\n"',
    '"\n"',
    '"\t"',
    '"\r"',
    '"\x00"',
    '"\x01"',
    '"\x1f"',
    '"\b"',
  ],
];
/** Section 4 and 5. */
const objects = [
  ...[
    "{}",
    "{ }",
    '{"a":1}',
    '{ "a" : 1 }',
    '{"a":1,"b":2}',
    '{"a":{}}',
    '{"a":[]}',
    '{"":0}',
    '{"a":{"b":{"c":[]}}}',
  ],
  ...[
    '{"a\\u0062":1}',
    '{"a":null}',
    '{"\\u0000":1}',
    '{"a":"b","c":"d"}',
    '{"__proto__":1}',
    '{\n"a": 1\n}',
  ],
];
const wrongObjects = [
  ...[
    "{",
    "}",
    "{]",
    "{,}",
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    '{"a":1,}',
    '{"a":1,,"b":2}',
    '{,"a":1}',
    "{:1}",
    '{"a"::1}',
  ],
  ...[
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{null:1}",
    '{"a":1 "b":2}',
    '{"a";1}',
    '{"a"=1}',
    '{"a"=>1}',
    '{"a","b"}',
    '{"a":1',
    '{"a":',
  ],
  ...[
    '{"a',
    '{"a"',
    '{"a":1}}',
    '{"a":1]',
    '{"a":1;"b":2}',
    '{"a":b}',
    '{"a":"b}',
    "{[]:1}",
    "{{}:1}",
    '{"a":1/**/}',
    '{"a":1#}',
  ],
];
const arrays = [
  "[]",
  "[ ]",
  "[1]",
  "[1,2]",
  "[ 1 , 2 ]",
  "[[]]",
  "[[],[[]]]",
  "[{}]",
  '["a",1,null,true]',
  "[\n1\n,\n2\n]",
  '[""]',
];
const wrongArrays = [
  ...[
    "[",
    "]",
    "[}",
    "[,]",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[1;2]",
    "[1:2]",
    "[1",
    "[1,",
    '["a"',
    '["a',
    "[[]",
    "[]]",
    "[1]2",
  ],
  ...[
    "[1]]",
    "[[1]",
    "[*]",
    "[x]",
    "[1,x]",
    "[...]",
    "(1)",
    "<1>",
    "[1]x",
    "[1]//",
    "[1/*a*/]",
    "[undefined]",
    "[nul]",
  ],
];
const wrongWords = [
  "Null",
  "NULL",
  "True",
  "TRUE",
  "nul",
  "nulll",
  "tru",
  "fals",
  "undefined",
  "None",
  "nil",
  "yes",
  "*",
  "&",
  "@",
  "#",
];
const wrongBytes = [
  "\xff",
  "\xc3",
  "\xe2\x82",
  "\xed\xa0\x80",
  "\xf8\x88\x80\x80\x80",
  "\xc0\x80",
  "\x00",
  "\x0b",
  "\x0c",
  "\xa0",
];

/** What every reader has to take. */
export const legal: readonly string[] = [
  ...words,
  ...numbers,
  ...strings,
  ...objects,
  ...arrays,
  ...around(spaces, "", "1"),
  ...around(spaces, "[1", "]"),
  `${"[".repeat(40)}${"]".repeat(40)}`,
];

/** What is no JSON. */
export const wrong: readonly string[] = [
  ...wrongWords,
  ...wrongNumbers,
  ...wrongStrings,
  ...wrongObjects,
  ...wrongArrays,
  ...wrongBytes,
];

/** Legal by the grammar; whether a value or a length is taken, and which of two members, is the reader's choice. */
export const open: readonly string[] = [
  ...["1e999", "-1e999", "1e-999", "123456789012345678901234567890", "-123123e100000", "0.4e00669999999999"],
  ...[
    '"\\ud800"',
    '"\\udc00"',
    '"\\udc00\\ud800"',
    '"a\\ud800b"',
    '"\\ud800\\ud800\\udc00"',
    '{"\\ud800":1}',
  ],
  ...['{"a":1,"a":2}', '{"a":1,"a":1}', '{"":1,"":2}', `${"[".repeat(600)}${"]".repeat(600)}`],
  ...[
    '"\xff"',
    '"\xed\xa0\x80"',
    '"\xc0\xaf"',
    '"\xe2\x82"',
    '"\xf4\xbf\xbf\xbf"',
    '"\x81"',
    "\xef\xbb\xbf{}",
  ],
];

/**
 * Strings with an escape that does not exist, or with a control character: no JSON, but it is plain where they
 * end. Programs that write them lose nothing, so they may be read.
 */
export const readable: readonly string[] = wrongInStrings;
