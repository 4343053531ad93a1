import type { CategoryName } from '#shared/catalogue/pagespeed-check/categories';
import type { LoadedDocument, PageObservation, PageStep, Strategy } from '../port.ts';

/** What the worker tells its child. */
export type WorkerMessage = Start | Order | Trusted;

/** First: starts the browser, and loads what measures pages. Neither knows of any page yet. */
export type Start = {
  readonly kind: 'start';
  readonly executable: string;
  readonly arguments: readonly string[];
  /** Exists, empty, belongs to the browser's user; the browser's home and temporary folder as well. */
  readonly profile: string;
  /** Who the browser runs as; undefined: as the worker. */
  readonly uid: number | undefined;
  readonly protocolMs: number;
};

/** Then, once, and maybe minutes later: the page to load. */
export type Order = {
  readonly kind: 'load';
  readonly url: string;
  readonly strategy: Strategy;
  readonly categories: readonly CategoryName[];
  /** Whether the worker is to judge certificates that the browser does not believe. */
  readonly asksTrust: boolean;
  /** Put behind the User-Agent of the emulated device, e.g. "DiagnosticTools/0.3.0 (+https://example.com/)". */
  readonly contact: string | undefined;
  readonly waits: { readonly firstPaintMs: number; readonly loadMs: number };
};

/** The worker's answer to a `certificate`. */
export type Trusted = { readonly kind: 'trusted'; readonly origin: string; readonly isTrusted: boolean };

/** What the child tells the worker; the last of `page`, `no-page`, `no-browser` ends the run, whatever happens to the child then. */
export type ChildMessage =
  /** The browser is there; `pid` leads its own process group. */
  | { readonly kind: 'browser'; readonly pid: number }
  | { readonly kind: 'product'; readonly product: string }
  /** Asks whether the operator's own authorities vouch for an origin; the load waits for the answer. */
  | { readonly kind: 'certificate'; readonly origin: string }
  /** How far the page is; each step is reported once, in this order. */
  | { readonly kind: 'step'; readonly step: Extract<PageStep, 'answered' | 'loaded'> }
  | { readonly kind: 'page'; readonly page: PageObservation; readonly document?: LoadedDocument }
  | {
      readonly kind: 'no-page';
      readonly code: string;
      readonly message: string;
      readonly status: number | null;
    }
  | { readonly kind: 'no-browser'; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string };
