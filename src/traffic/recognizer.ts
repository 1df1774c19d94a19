import type { Frame, Peek, Recognition } from "./payload.ts";

/** What the protocols tell the containers about payloads, so that these can find them without knowing any API. */
export interface Recognizer {
  readonly historyKeys: ReadonlySet<string>;
  /** Whether a protocol keeps its histories under this key. */
  isHistoryKey(protocol: string, key: string): boolean;
  readonly stableKeys: ReadonlySet<string>;
  /**
   * The protocol to which an object probably belongs; `undefined` when it is no payload. `isRetold`: it stands where a tracing tool
   * keeps what it was told of a request, not where traffic is kept.
   */
  recognize(
    peek: Peek,
    url: string | undefined,
    isRetold?: boolean,
  ): (Recognition & { readonly protocol: string }) | undefined;
  /** Whether this frame ends its stream. */
  isTerminal(protocol: string, frame: Frame): boolean;
  /** The reply that a frame belongs to, where it says so. */
  replyId(protocol: string, frame: Frame): string | undefined;
}
