import type { TlsObservation } from '../../probes/http/port.ts';
import type { LostCookie } from '../../web/cookie-jar.ts';
import type { FamiliesObservation } from '../../web/families.ts';
import type { HeaderLine } from '../../web/fields.ts';
import type { PreloadState } from '../../web/preload-list.ts';
import type { Robots } from '../../web/robots.ts';
import type { PageLead } from '../../web/walk.ts';

type HopTls = Pick<TlsObservation, 'trusted' | 'error' | 'atRightTime'>;

/** One answer on the way. */
export type Hop = {
  readonly url: string;
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** null on http. */
  readonly tls: HopTls | null;
  /** By what the page itself sent the visitor on; left out where its status did, and of the last. */
  readonly leftBy?: PageLead['via'];
};

/** Where a chain of redirects stopped. */
export type ChainEnd =
  | {
      readonly kind: 'answered';
      /** The scheme of an app that the page calls by itself; the page stays. */
      readonly calls?: string;
    }
  | { readonly kind: 'too-many'; readonly url: string }
  /** `lost`: cookies that browsers do not keep, where the circle was seen to end once they are. */
  | { readonly kind: 'loop'; readonly url: string; readonly lost?: readonly LostCookie[] }
  /** `why` is a clause. */
  | { readonly kind: 'nowhere'; readonly url: string; readonly why: string }
  | {
      readonly kind: 'invalid-location' | 'several-locations' | 'foreign-scheme' | 'location-too-long';
      readonly url: string;
      readonly location: string;
    }
  | { readonly kind: 'failed'; readonly url: string; readonly code: string; readonly reason: string };

/** The walk from one address; `document` is what was read of the last answer's body, null where none was read. */
export type Chain = {
  readonly start: string;
  readonly hops: readonly Hop[];
  readonly end: ChainEnd;
  readonly document: DocumentObservation | null;
  /** Signs of a block page in the last answer's body; left out by evidence that is older than this field. */
  readonly bodySigns?: readonly string[];
};

/** An element that can change what is enforced or loaded. */
export type PageElement = {
  readonly name: 'meta' | 'script' | 'link';
  /** Its parent's name: only children of head count for a policy. */
  readonly parent: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
};

/** What an element loads, or that its form leads there. Frames are embedded objects too. */
export type LoadKind = 'script' | 'style' | 'frame' | 'image' | 'media' | 'font' | 'form';

/** How often a page names another origin for one kind of load, and how many of them have an integrity attribute. */
export type ForeignLoad = {
  readonly kind: LoadKind;
  readonly origin: string;
  readonly count: number;
  readonly withIntegrity: number;
};

/** How often a page names http addresses in one attribute of one element, and the first of them. */
export type ClearTextLoad = {
  readonly element: string;
  readonly attribute: string;
  readonly kind: LoadKind;
  /** The host is an IP address. */
  readonly isAddress: boolean;
  readonly count: number;
  readonly address: string;
};

/** What was read of an HTML body: the elements that matter, in document order. */
export type DocumentObservation = {
  readonly elements: readonly PageElement[];
  /** The href of the first base element, null where there is none. */
  readonly base: string | null;
  /** Other origins that the page names, each once for each kind, the first 300; left out by evidence that is older than this field. */
  readonly foreign?: readonly ForeignLoad[];
  /** What it names in clear text of other origins; left out by evidence that is older than this field. */
  readonly clearText?: readonly ClearTextLoad[];
  /** Why there may be more than this. */
  readonly cut: string | null;
};

/** One question with an Origin, and what came back. */
export type CorsObservation = {
  readonly method: 'GET' | 'OPTIONS';
  readonly origin: string;
  /** The page's own origin, or one that is spelt like it; left out of those that are spelt like nobody's. */
  readonly as?: 'own' | 'look-alike';
} & (
  | { readonly kind: 'answered'; readonly status: number; readonly headers: readonly HeaderLine[] }
  | { readonly kind: 'failed'; readonly reason: string }
);

/** A file at a fixed place of a site. `route`: every address that was asked for it, in order. */
export type SiteFileObservation<Content> = { readonly route: readonly string[] } & (
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: readonly HeaderLine[];
      readonly bodySigns: readonly string[];
      /** Decoded, as far as it was read. */
      readonly sizeBytes: number;
      /** Why it was not read to its end. */
      readonly cut: string | null;
      /** null where the answer is a page of HTML or XML. */
      readonly content: Content | null;
    }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Its redirects lead to no answer. */
  | { readonly kind: 'astray' }
);

/** The files that a site has at fixed places, asked over https. */
export type SiteFiles = {
  readonly securityTxt: {
    readonly wellKnown: SiteFileObservation<string>;
    readonly legacy: SiteFileObservation<string>;
  };
  readonly robots: SiteFileObservation<Robots>;
};

/** Everything the check has seen; nothing in it is judged. */
export type HeaderEvidence = {
  readonly url: string;
  /** Unix ms; decides which cookies are already expired. */
  readonly seenAtMs: number;
  readonly https: Chain;
  readonly http: Chain;
  /** The address that the CORS questions went to. */
  readonly corsUrl: string;
  readonly cors: readonly CorsObservation[];
  /** Host → its place on the preload list, for every host that was met. */
  readonly preload: readonly (readonly [host: string, state: PreloadState])[];
  /** The page over IPv4 and IPv6; left out where no page was reached, and by evidence that is older than this field. */
  readonly families?: FamiliesObservation;
  /** Left out by evidence that is older than this field. */
  readonly files?: SiteFiles;
};
