import { byteOperators } from "./bytes.ts";
import { clientOperators } from "./clients.ts";
import { containerOperators } from "./containers.ts";
import { copyOperators } from "./copies.ts";
import { deliveryOperators } from "./delivery.ts";
import { encodingOperators } from "./encodings.ts";
import { historyOperators } from "./histories.ts";
import { layoutOperators } from "./layouts.ts";
import { lineOperators } from "./lines.ts";
import type { Operator } from "./operator.ts";
import { printOperators } from "./prints.ts";
import { protocolOperators } from "./protocol.ts";
import { roundOperators } from "./rounds.ts";
import { sharingOperators } from "./sharing.ts";
import { streamOperators } from "./streams.ts";
import { structureOperators } from "./structure.ts";
import { syntaxOperators } from "./syntax.ts";
import { toolOperators } from "./tools.ts";
import { valueOperators } from "./values.ts";
import { writeOperators } from "./writes.ts";

export const operators: readonly Operator[] = [
  ...byteOperators,
  ...lineOperators,
  ...syntaxOperators,
  ...structureOperators,
  ...protocolOperators,
  ...historyOperators,
  ...roundOperators,
  ...containerOperators,
  ...encodingOperators,
  ...deliveryOperators,
  ...streamOperators,
  ...valueOperators,
  ...writeOperators,
  ...clientOperators,
  ...copyOperators,
  ...sharingOperators,
  ...layoutOperators,
  ...toolOperators,
  ...printOperators,
];
