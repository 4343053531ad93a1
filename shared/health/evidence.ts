import type { Registration } from '../catalogue/domain-health/registration.ts';
import type { CategoryName } from '../catalogue/domain-health/weights.ts';
import type { Report } from '../model/report.ts';
import type { Grade } from '../model/score.ts';

/** A stored report, or why there is none: "no browser worker is running", "it did not end in time". */
export type Source = { readonly report: Report } | { readonly unavailable: string };

/** What was collected of a domain. JSON; nothing in it is judged beyond what each report says. */
export type HealthEvidence = {
  readonly domain: string;
  /** The parts that were asked for; left out where all of them were. */
  readonly parts?: readonly CategoryName[];
  /** Prefix of links: the address that callers use; left out where they stand below the host. */
  readonly publicPath?: string;
  /** The host that ssl and headers were asked of, and the page that performance was; left out where that is https at the domain itself. */
  readonly webHost?: string;
  readonly pageUrl?: string;
  /** dns-check of the domain. */
  readonly dns: Source;
  /** ssl-check of the web host. */
  readonly ssl: Source;
  /** security-header-check of the web host's first page. */
  readonly headers: Source;
  /** pagespeed-check of the same page, by http where there is no https. */
  readonly performance: Source;
  /** smtp-check of the domain; left out where mail was not asked for, and in evidence of earlier releases. */
  readonly smtp?: Source;
  /** redirect-check of http://domain/, https://domain/, http://www.domain/, https://www.domain/. One that is left out has no address. */
  readonly redirects: readonly { readonly url: string; readonly part: Source }[];
  /** Of the domain, as its registry tells it; absent in evidence of earlier releases. */
  readonly registration?: Registration;
  /** null where there is none, or where report ids are off. */
  readonly previous: PreviousHealth | null;
};

/** What the trend needs of an earlier domain-health report. */
export type PreviousHealth = {
  readonly reportId: string | null;
  readonly checkedAt: string;
  readonly rulesVersion: number;
  readonly coverage: number;
  readonly score: number | null;
  readonly grade: Grade | null;
  readonly categories: {
    readonly [N in CategoryName]: {
      readonly score: number | null;
      /** Of the check that gave the category; null where there was no report. */
      readonly rulesVersion: number | null;
      readonly codes: readonly string[];
      /** Left out where it is not known, of earlier releases. */
      readonly notTested?: readonly string[];
      /** Of the smtp-check that is in it; left out where none is. */
      readonly mailHostsVersion?: number;
    };
  };
  /** Codes of its own findings, and of its own rules that were not tested. */
  readonly codes: readonly string[];
  readonly notTested?: readonly string[];
};
