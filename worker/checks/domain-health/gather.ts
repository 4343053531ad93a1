import {
  dnsQuestion,
  entryPointQuestions,
  headersQuestion,
  type PartQuestion,
  performanceQuestion,
  sslQuestion,
  visitQuestions,
  webHostOf,
} from '../../../shared/catalogue/domain-health/parts.ts';
import type { Progress } from '../../../shared/job-queue/port.ts';
import type { Report } from '../../../shared/model/report.ts';
import { addUp } from '../add-up.ts';
import type { CompositeContext } from '../check.ts';
import type { JobAnswer, Jobs } from '../jobs.ts';
import { readEntryPoints } from './entry-points.ts';
import type { HealthEvidence, Part } from './evidence.ts';
import { readDnsFields } from './read-fields.ts';
import { readPrevious } from './trend.ts';

/** Collects the reports of a domain's parts: from the store, from one visit for all that is missing, and from a page load beside it. */
export async function gatherHealth({
  target: domain,
  jobs,
  progress,
}: CompositeContext): Promise<HealthEvidence> {
  // The page load counts as one question until it tells more of itself.
  const report = addUp(progress, ['performance']);
  const [[knownDns], previous] = await Promise.all([jobs.find([dnsQuestion(domain)]), jobs.previous()]);
  const likelyHost = webHostOf(domain, hasAddress(knownDns));
  const likelyPage = jobs.ask(performanceQuestion(`https://${likelyHost}/`), report('performance'));
  const [{ webHost, parts }] = await Promise.all([
    visit(domain, likelyHost, jobs, report('visit')),
    likelyPage,
  ]);
  const redirects = entryPointQuestions(domain).map((question) => ({
    url: question.target,
    part: parts(question),
  }));
  const page = `${isHttpOnly(webHost, redirects) ? 'http' : 'https'}://${webHost}/`;
  return {
    domain,
    publicPath: jobs.publicPath,
    webHost,
    pageUrl: page,
    dns: parts(dnsQuestion(domain)),
    ssl: parts(sslQuestion(webHost)),
    headers: parts(headersQuestion(webHost)),
    performance:
      page === `https://${likelyHost}/`
        ? await likelyPage
        : await jobs.ask(performanceQuestion(page), report('performance')),
    redirects,
    previous: previous === undefined || previous.reportId === undefined ? null : readPrevious(previous),
  };
}

type Visited = { readonly webHost: string; readonly parts: (question: PartQuestion) => Part };

/** The network parts: those in the store, and if one is missing, one visit for all of them. */
async function visit(
  domain: string,
  likelyHost: string,
  jobs: Jobs,
  progress: (progress: Progress) => void,
): Promise<Visited> {
  const known = await findAll(visitQuestions(domain, likelyHost), jobs);
  if ([...known.values()].every((report) => report !== undefined))
    return { webHost: likelyHost, parts: partsOf(known, '') };
  const outcome = await jobs.visit(domain, progress);
  const webHost = 'webHost' in outcome ? outcome.webHost : likelyHost;
  const found = await findAll(visitQuestions(domain, webHost), jobs);
  // What was fresh enough when we began, and so was not looked at again, may be so no longer.
  for (const [name, report] of known) if (found.get(name) === undefined) found.set(name, report);
  return {
    webHost,
    parts: partsOf(found, 'unavailable' in outcome ? outcome.unavailable : 'it did not end in time'),
  };
}

type Found = Map<string, Report | undefined>;

async function findAll(questions: readonly PartQuestion[], jobs: Jobs): Promise<Found> {
  const reports = await jobs.find(questions);
  return new Map(questions.map((question, index) => [nameOf(question), reports[index]]));
}

function partsOf(found: Found, why: string): (question: PartQuestion) => JobAnswer {
  return (question) => {
    const report = found.get(nameOf(question));
    return report ? { report } : { unavailable: why };
  };
}

function nameOf({ spec, target }: PartQuestion): string {
  return `${spec.name} ${target}`;
}

// Where DNS has not been asked yet, or gave no answer, the domain itself is the likelier host.
function hasAddress(dns: Report | undefined): boolean {
  const records = dns && readDnsFields(dns)?.records;
  return records?.['A']?.length !== 0 || records['AAAA']?.length !== 0;
}

/** Port 80 answers and port 443 does not: visitors are served in clear text, and so the page is measured. */
function isHttpOnly(webHost: string, redirects: HealthEvidence['redirects']): boolean {
  const own = readEntryPoints({ redirects }).filter(({ host }) => host === webHost);
  const answers = (isHttps: boolean) => own.some((entry) => entry.isHttps === isHttps && entry.isAnswered);
  const isHttpsSeen = own.some(({ isHttps, fields }) => isHttps && fields !== null);
  return answers(false) && isHttpsSeen && !answers(true);
}
