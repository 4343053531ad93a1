import { asksMailHosts, asksWeb, partsOf } from '#shared/catalogue/domain-health/parts';
import { registrationQuestion } from '#shared/catalogue/domain-health/registration';
import {
  dnsQuestion,
  entryPointQuestions,
  headersQuestion,
  mailHostsQuestion,
  performanceQuestion,
  type SourceQuestion,
  sslQuestion,
  visitQuestions,
  webHostOf,
} from '#shared/catalogue/domain-health/sources';
import { type CategoryName, categoryNames } from '#shared/catalogue/domain-health/weights';
import { hasMissing } from '#shared/catalogue/outline';
import { smtpCheck } from '#shared/catalogue/smtp-check/spec';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import { whyLeftOut } from '#shared/health/facts/categories';
import { readEntryPoints } from '#shared/health/facts/entry-points';
import { readDnsFields } from '#shared/health/facts/fields';
import { readPrevious } from '#shared/health/facts/previous';
import { readRegistration } from '#shared/health/registration/read';
import type { Report } from '#shared/model/report';
import type { CompositeContext } from '../check.ts';
import type { Jobs } from '../jobs.ts';
import { type HealthProgress, openHealthProgress } from './progress.ts';

/** Collects the sources of a domain: from the store, from one visit for all that is missing, and from a page load beside it. */
export async function gatherHealth({
  target: domain,
  options,
  jobs,
  progress,
}: CompositeContext): Promise<HealthEvidence> {
  const parts = partsOf(options);
  const asksHosts = asksMailHosts(options) && jobs.isOffered(smtpCheck);
  const told = openHealthProgress(progress, parts, asksHosts);
  const load = async (url: string): Promise<Source> =>
    parts.includes('performance') ? jobs.ask(performanceQuestion(url), told.page) : leftOut;
  const [[knownDns], previous] = await Promise.all([jobs.find([dnsQuestion(domain)]), jobs.previous()]);
  const likelyHost = webHostOf(domain, hasAddress(knownDns));
  const likelyPage = load(`https://${likelyHost}/`);
  const talks = asksHosts ? talk(domain, jobs, told) : whyNotTalked(jobs);
  const [{ webHost, sources, registration }, smtp] = await Promise.all([
    visit({ domain, likelyHost, parts }, jobs, told),
    talks,
    likelyPage,
  ]);
  const ways = asksWeb(parts) ? entryPointQuestions(domain) : [];
  const redirects = ways.map((question) => ({ url: question.target, part: sources(question) }));
  const page = `${isHttpOnly(webHost, redirects) ? 'http' : 'https'}://${webHost}/`;
  // Only now it is known which page counts: where there is no https, a second one is loaded.
  const performance = page === `https://${likelyHost}/` ? await likelyPage : await load(page);
  told.paged('report' in performance && performance.report.state !== 'failed' ? 'done' : 'failed');
  return {
    domain,
    ...(parts.length < categoryNames.length ? { parts } : {}),
    publicPath: jobs.publicPath,
    webHost,
    pageUrl: page,
    dns: sources(dnsQuestion(domain)),
    ssl: sources(sslQuestion(webHost)),
    headers: sources(headersQuestion(webHost)),
    performance,
    ...(parts.includes('mail') ? { smtp } : {}),
    redirects,
    registration: readRegistration(domain, registration, jobs.hidesAges),
    previous: previousOf(previous),
  };
}

/** Asks the mail hosts, in a run of its own: what it takes is longer than a visit may last. */
async function talk(domain: string, jobs: Jobs, told: HealthProgress): Promise<Source> {
  const answer = await jobs.ask(mailHostsQuestion(domain), told.hosts);
  told.talked();
  return answer;
}

function whyNotTalked(jobs: Jobs): Source {
  return {
    unavailable: jobs.isOffered(smtpCheck)
      ? 'mail hosts are talked to only where `parts` names mail'
      : 'this service does not talk to mail hosts',
  };
}

type Visited = {
  readonly webHost: string;
  readonly sources: (question: SourceQuestion) => Source;
  /** Stored by the visit; undefined where it was not. */
  readonly registration: Report | undefined;
};

/** All that a visit leaves in the store. */
function questionsOf(
  domain: string,
  webHost: string,
  parts: readonly CategoryName[],
): readonly SourceQuestion[] {
  const registration = parts.includes('dns') ? registrationQuestion(domain) : undefined;
  const sources = visitQuestions(domain, webHost, parts);
  return registration ? [...sources, registration] : sources;
}

/** What stands for a source that was not asked for. */
const leftOut = { unavailable: whyLeftOut };

type Visiting = {
  readonly domain: string;
  readonly likelyHost: string;
  readonly parts: readonly CategoryName[];
};

/** The sources that need only the network: those in the store, and if one is missing, one visit for all of them. */
async function visit(
  { domain, likelyHost, parts }: Visiting,
  jobs: Jobs,
  told: HealthProgress,
): Promise<Visited> {
  const known = await findAll(questionsOf(domain, likelyHost, parts), jobs);
  if ([...known.values()].every((report) => report !== undefined)) {
    told.visited('done');
    return {
      webHost: likelyHost,
      sources: sourcesOf(known, ''),
      registration: registrationIn(known, domain),
    };
  }
  const outcome = await jobs.visit(domain, told.visit);
  const webHost = 'webHost' in outcome ? outcome.webHost : likelyHost;
  const found = await findAll(questionsOf(domain, webHost, parts), jobs);
  told.visited('webHost' in outcome ? 'done' : 'failed');
  // A report that was fresh enough at the start was not made again, but may be too old by now: use it all the same.
  for (const [name, report] of known) if (found.get(name) === undefined) found.set(name, report);
  return {
    webHost,
    sources: sourcesOf(found, 'unavailable' in outcome ? outcome.unavailable : 'it did not end in time'),
    registration: registrationIn(found, domain),
  };
}

type PartReports = Map<string, Report | undefined>;

async function findAll(questions: readonly SourceQuestion[], jobs: Jobs): Promise<PartReports> {
  const reports = await jobs.find(questions);
  return new Map(questions.map((question, index) => [nameOf(question), reports[index]]));
}

function registrationIn(found: PartReports, domain: string): Report | undefined {
  const question = registrationQuestion(domain);
  return question && found.get(nameOf(question));
}

function sourcesOf(found: PartReports, why: string): (question: SourceQuestion) => Source {
  return (question) => {
    const name = nameOf(question);
    const report = found.get(name);
    if (!found.has(name)) return leftOut;
    return report ? { report } : { unavailable: why };
  };
}

function nameOf({ spec, target }: SourceQuestion): string {
  return `${spec.name} ${target}`;
}

// Before DNS has answered, the domain itself is the more likely host.
function hasAddress(dns: Report | undefined): boolean {
  const records = dns && readDnsFields(dns)?.records;
  return records?.['A']?.length !== 0 || records['AAAA']?.length !== 0;
}

/** Whether port 80 answers and port 443 does not: visitors get the http page, so that page is measured. */
function isHttpOnly(webHost: string, redirects: HealthEvidence['redirects']): boolean {
  const own = readEntryPoints({ redirects }).filter(({ host }) => host === webHost);
  const answers = (isHttps: boolean) => own.some((entry) => entry.isHttps === isHttps && entry.isAnswered);
  const isHttpsSeen = own.some(({ isHttps, fields }) => isHttps && fields !== null);
  return answers(false) && isHttpsSeen && !answers(true);
}

/** A report without an id cannot be linked to, and one for which something was missing is compared with none. */
function previousOf(report: Report | undefined): HealthEvidence['previous'] {
  return report?.reportId === undefined || hasMissing(report) ? null : readPrevious(report);
}
