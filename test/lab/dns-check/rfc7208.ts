import { dnsCheckOptions } from '#shared/catalogue/dns-check/options';
import { evaluateSpf } from '../../../worker/checks/dns-check/mail/spf/evaluate-spf.ts';
import { openAsker } from '../../../worker/dns/asker.ts';
import type { DnsProbe } from '../../../worker/probes/dns/port.ts';
import { readYamlFile } from '../../kit/yaml.ts';
import { openZonedata, type Zonedata } from './zonedata.ts';

// node test/lab/dns-check/rfc7208.ts rfc7208-tests.yml: runs the public suite of RFC 7208, which is not kept here, over the wire of a name
// server on loopback, through the options of a caller and the evaluator of the check. Prints what differs; exits with 1 where anything does.

type Scenario = {
  readonly zonedata: Zonedata;
  readonly tests: { readonly [name: string]: Case };
};
type Case = {
  readonly host: string;
  readonly helo: string;
  readonly mailfrom: string;
  readonly result: string | readonly string[];
  readonly explanation?: string;
};

const counts = { cases: 0, right: 0, explanations: 0, explained: 0 };
const differing: string[] = [];

async function run(name: string, dns: DnsProbe, test: Case): Promise<void> {
  counts.cases += 1;
  const sender = test.mailfrom === '' ? `postmaster@${test.helo}` : test.mailfrom;
  const options = dnsCheckOptions.safeParse({ ip: test.host, sender, helo: test.helo });
  if (!options.success) return void differing.push(`${name}: refused, ${options.error.issues[0]?.message}`);
  const message = { ip: test.host, sender, helo: test.helo };
  const { result, explanation = 'DEFAULT', comment = '' } = await evaluateSpf(openAsker(dns), message, 5000);
  const wanted = [test.result].flat();
  if (wanted.includes(result)) counts.right += 1;
  else differing.push(`${name}: ${result} instead of ${wanted.join(' or ')} (${comment})`);
  if (test.explanation === undefined) return;
  counts.explanations += 1;
  // Hex digits of %{i} may be of either case; RFC 7208 §7.4 writes them in lower case, the suite as the address is given.
  if (explanation.toLowerCase() === test.explanation.toLowerCase()) counts.explained += 1;
  else differing.push(`${name}: explanation "${explanation}" instead of "${test.explanation}"`);
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node test/lab/dns-check/rfc7208.ts rfc7208-tests.yml');
for (const { zonedata, tests } of readYamlFile(path) as Scenario[]) {
  const { dns, close } = await openZonedata(zonedata);
  for (const [name, test] of Object.entries(tests)) await run(name, dns, test);
  close();
}
for (const line of differing) console.log(line);
console.log(
  `${counts.right} of ${counts.cases} results, ${counts.explained} of ${counts.explanations} explanations`,
);
process.exitCode = differing.length === 0 ? 0 : 1;
