import type { TargetPolicy } from '#shared/targets/parse-target';
import type { AddressSlots } from '../address-slots.ts';
import type { AddressChoice, Dial } from '../guard.ts';
import type { ClockFault } from '../vantage/memory.ts';
import { type Patience, usualPatience } from './shared-connections.ts';

export type HttpLimits = {
  readonly tlsMs: number;
  /** From the connection to the end of the answer's header section. */
  readonly responseMs: number;
  /** The whole request with its body. */
  readonly requestMs: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly wireBytes: number;
  /** Of requests that are patient. */
  readonly patience: Patience;
};

export const httpLimits: HttpLimits = {
  tlsMs: 4000,
  responseMs: 8000,
  requestMs: 15_000,
  headerBytes: 65_536,
  bodyBytes: 2_000_000,
  wireBytes: 1_000_000,
  patience: usualPatience,
};

export type HttpSettings = {
  readonly dial: Dial;
  /** The addresses that `dial` would try; throws DialFailure where there is none. */
  readonly chooseAddresses: (host: string, choice: AddressChoice) => Promise<readonly string[]>;
  /** Charges a request over a connection that is open already; throws DialFailure `budget-spent`. */
  readonly chargeReuse: (address: string, signal: AbortSignal) => Promise<void>;
  /** How wrong this machine's clock is. */
  readonly clock: () => ClockFault | null;
  /** Why a redirect is not the target's own word; undefined where it is. */
  readonly whyPortal: (redirect: {
    readonly url: URL;
    readonly to: URL;
    readonly address: string;
  }) => Promise<string | undefined>;
  /** The places at addresses that `dial` takes. */
  readonly slots: AddressSlots;
  readonly policy: TargetPolicy;
  readonly userAgent: string;
  readonly limits: HttpLimits;
};
