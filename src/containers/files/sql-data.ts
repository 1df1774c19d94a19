import { textStart } from "../../reading/source.ts";
import { level } from "../../traffic/certainty.ts";

/** A comment, a setting or a row. */
const beginsAsSql =
  /^(?:--|\/\*|\\restrict\b|(?:SET|USE|LOCK|DROP|ALTER|SELECT|BEGIN|START|PRAGMA|CREATE|COPY|INSERT|REPLACE)\b)/i;

const rows =
  /^[ \t]{0,8}(?:COPY \S{1,200} ?(?:\([^)]{0,9000}\) )?FROM stdin|(?:INSERT|REPLACE)[A-Z ]{0,20} INTO\s)/im;

/** A long definition of tables may stand before the rows. */
const named = /^-- (?:PostgreSQL database|MySQL|MariaDB|phpMyAdmin SQL) dump\b/im;

/** What the container of database dumps states without its reader. */
export const sqlData = {
  name: "sql",
  summary:
    "SQL dumps of databases, as pg_dump, mysqldump and sqlite3 write them: a row is a record, as in the database itself",
  signs: "COPY … FROM stdin, or INSERT INTO at the beginning of a line, below comments and settings",
  // It is searched as one string.
  maxSize: 512 << 20,
  recognize(head: Buffer): number {
    const text = head.toString("latin1", textStart(head)).trimStart();
    if (!beginsAsSql.test(text)) return 0;
    return rows.test(text) || named.test(text) ? level.nearlyCertain : 0;
  },
} as const;
