import { Resolver } from 'node:dns/promises';
import { openLab } from '../test/lab/kit/lab.ts';
import { findCheck } from '../worker/checks/registry.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';
import { median } from './statistics.ts';

const domains = 300;
const lanes = 16;
const rounds = 4;

/** CPU of dns-check for a domain, beside Node's own resolver asking the same questions; the name server shares the process. */
export async function bench(): Promise<Section> {
  const names = Array.from({ length: domains }, (_, index) => `d${index}.test`);
  const lab = await openLab({ zone: Object.fromEntries(names.map((name) => [name, recordsOf(name)])) });
  const factory = prepareProbesOf(lab.config());
  const check = await findCheck('dns-check');
  if (!check) throw new Error('there is no dns-check');
  const runCheck = async (index: number) => {
    const probes = factory.open(AbortSignal.timeout(20_000));
    check.assess(
      await check.gather({ target: names[index] ?? '', options: {}, probes, progress: () => undefined }),
    );
    probes.close();
  };
  const resolver = new Resolver();
  resolver.setServers([lab.dns.address]);
  const [ours, bare]: [DnsSample[], DnsSample[]] = [[], []];
  let questions: readonly string[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const from = lab.dns.questions.length;
    const checked = await measure(runCheck);
    questions = lab.dns.questions.slice(from);
    const asked = await measure((index) => askAll(resolver, questions, index));
    // The first is to warm up.
    if (round > 0) [ours, bare].forEach((turns, side) => turns.push(side === 0 ? checked : asked));
  }
  factory.close();
  await lab.close();
  return sectionOf(ours, bare, questions.length / domains);
}

function recordsOf(name: string) {
  return { A: ['127.0.0.1'], MX: [{ preference: 10, exchange: `mx.${name}` }], TXT: ['v=spf1 mx -all'] };
}

type DnsSample = { readonly cpuMs: number; readonly perSecond: number };

async function measure(act: (index: number) => Promise<void>): Promise<DnsSample> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await inLanes(domains, lanes, act);
  const { user, system } = process.cpuUsage(cpu);
  return {
    cpuMs: (user + system) / 1000 / domains,
    perSecond: (domains * 1000) / (performance.now() - start),
  };
}

/** The questions of one domain's share, all at once. */
async function askAll(resolver: Resolver, questions: readonly string[], index: number): Promise<void> {
  const share = questions.length / domains;
  const mine = questions.slice(Math.floor(index * share), Math.floor((index + 1) * share));
  await Promise.allSettled(
    mine.map((question) => {
      const [name = '', type = 'A'] = question.split(' ');
      // What Node's resolver has no word for is asked as TXT: as many octets, about.
      return resolver.resolve(name, knownTypes.has(type) ? type : 'TXT');
    }),
  );
}

const knownTypes = new Set([
  'A',
  'AAAA',
  'CAA',
  'CNAME',
  'MX',
  'NAPTR',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'TLSA',
  'TXT',
]);

function sectionOf(ours: readonly DnsSample[], bare: readonly DnsSample[], questions: number): Section {
  const row = (name: string, turns: readonly DnsSample[]) => [
    name,
    median(turns.map(({ cpuMs }) => cpuMs)).toFixed(2),
    median(turns.map(({ perSecond }) => perSecond)).toFixed(0),
  ];
  const ratio = median(ours.map(({ cpuMs }, round) => cpuMs / (bare[round]?.cpuMs ?? Number.NaN)));
  return {
    title: 'A domain’s DNS',
    about: `A DNS check of ${domains} domains, ${lanes} at a time, beside Node’s own resolver with the same ${questions.toFixed(0)} questions a domain, by turns. The name server runs in the same process and is part of both.`,
    columns: ['', 'CPU of a domain, ms', 'domains/s', 'CPU ÷ that of Node’s resolver'],
    rows: [
      [...row('dns-check', ours), ratio.toFixed(2)],
      [...row('the same questions, Node’s resolver', bare), 1],
    ],
    limits: 'a socket with a random port for each question, and reading and judging the answers.',
  };
}
