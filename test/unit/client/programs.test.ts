import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

// What a user writes with the client, and whether the compiler takes it. `client` is open; each line is a program of its own.

const right: readonly string[] = [
  `const report = await client.dnsCheck('a.test'); if (report.state !== 'failed') report.dmarc.policy satisfies string | null | undefined;`,
  `const report = await client.dnsCheck('a.test'); if (report.state === 'failed') return; report.spf.lookups satisfies number | null | undefined;`,
  `const report = await client.check('ssl-check', 'a.test', { port: 443 }); if (report.state === 'complete') report.certificates.length satisfies number;`,
  `const report = await client.check('redirect-check', 'http://a.test/'); if (report.state !== 'failed') for (const hop of report.hops) hop.headers?.map(([name, value]) => name + value);`,
  `const report = await client.domainHealth('a.test'); switch (report.state) { case 'failed': break; default: report.categories satisfies object; }`,
  `const { score, grade, summary } = await client.dnsCheck('a.test'); score satisfies number | null; summary.critical satisfies number; if (grade === 'A+') return;`,
  `(await client.dnsCheck('a.test')).findings.filter(({ severity }) => severity === 'high').map(({ fix }) => fix.text satisfies string);`,
  `const { reportId } = await client.dnsCheck('a.test'); if (reportId) await client.report(reportId);`,
  `await client.pagespeedCheck('https://a.test/', { runs: 2, strategy: 'desktop' });`,
  `await client.pagespeedCheck('https://a.test/', { runs: '3' });`,
  `await client.sslCheck('a.test', { port: '8443', fresh: true });`,
  `await client.sslCheck('a.test', { port: 443, maxAgeS: 60 });`,
  `await client.dnsCheck('a.test', { dkimSelector: ['a', 'b'], ip: '192.0.2.1', sender: 'a@b.test' });`,
  `await client.redirectCheck('http://a.test/', { userAgent: 'phone', signal: AbortSignal.timeout(1000) });`,
  `await client.securityHeaderCheck('https://a.test/', { onlyIfCached: true });`,
  `for await (const { target, report, problem } of client.each('dns-check', ['a.test'])) console.log(target, report?.grade ?? problem?.message);`,
  `for await (const { report } of client.each('ssl-check', new Set(['a.test']), { port: 443, concurrency: 4 })) if (report && report.state !== 'failed') report.trust satisfies object;`,
  `for await (const { reportId, score } of client.history({ check: 'dns-check' })) console.log(reportId, score);`,
  `const { limits } = await client.me(); limits.scans.remaining satisfies number;`,
  `(await client.diff('a', 'b')).findings.added.map(({ code }) => code satisfies string);`,
  `const rules = await client.findings(); rules[0]?.code satisfies string | undefined;`,
  `try { await client.dnsCheck('a.test'); } catch (error) { if (error instanceof DiagnosticsProblem) error.code satisfies string; }`,
  `openDiagnostics({ server: 'http://a.test', cache: { folder: 'cache' } }).dnsCheck;`,
  `const report: DnsCheckReport | FailedReport = await client.dnsCheck('a.test'); report.check satisfies string;`,
  `await client.domainHealth('a.test', { parts: ['dns', 'ssl', 'headers', 'performance', 'mail'] });`,
  `await client.pagespeedCheck('https://a.test/', { category: ['seo', 'best-practices', 'all'] });`,
  `for await (const { report, problem } of client.each('dns-check', ['a.test'])) (report?.grade ?? report?.state ?? problem?.message) satisfies string | undefined;`,
];

const wrong: readonly string[] = [
  `(await client.dnsCheck('a.test')).dmarc;`,
  `const report = await client.dnsCheck('a.test'); if (report.state !== 'failed') report.dmarc.polcy;`,
  `const report = await client.dnsCheck('a.test'); if (report.state !== 'failed') report.dmark;`,
  `const report = await client.dnsCheck('a.test'); if (report.state === 'failed') report.spf;`,
  `const report = await client.dnsCheck('a.test'); if (report.state === 'failed') report.scor;`,
  `(await client.dnsCheck('a.test')).scroe;`,
  `(await client.dnsCheck('a.test')).findings[0]?.sevrity;`,
  `(await client.dnsCheck('a.test')).findings[0]?.fix.txt;`,
  `(await client.dnsCheck('a.test')).summary.criticl;`,
  `(await client.dnsCheck('a.test')).grade satisfies string;`,
  `(await client.dnsCheck('a.test')).score + 1;`,
  `if ((await client.dnsCheck('a.test')).grade === 'E') return;`,
  `if ((await client.dnsCheck('a.test')).state === 'done') return;`,
  `(await client.dnsCheck('a.test')).score = 100;`,
  `(await client.dnsCheck('a.test')).findings.push();`,
  `const report = await client.redirectCheck('http://a.test/'); if (report.state !== 'failed') report.hops[0]?.headers[0]?.[2];`,
  `const report = await client.sslCheck('a.test'); if (report.state !== 'failed') report.dmarc;`,
  `client.dnscheck;`,
  `await client.check('dns', 'a.test');`,
  `await client.dnsCheck();`,
  `await client.dnsCheck(['a.test']);`,
  `await client.dnsCheck('a.test', { frsh: true });`,
  `await client.dnsCheck('a.test', { dkimSelectors: ['a'] });`,
  `await client.dnsCheck('a.test', { dkimSelector: [1] });`,
  `await client.domainHealth('a.test', { strategy: 'mobile' });`,
  `await client.securityHeaderCheck('https://a.test/', { userAgent: 'phone' });`,
  `await client.pagespeedCheck('https://a.test/', { runs: 4 });`,
  `await client.pagespeedCheck('https://a.test/', { strategy: 'phone' });`,
  `await client.domainHealth('a.test', { parts: ['tsl'] });`,
  `for await (const { report } of client.each('domain-health', ['a.test'], { parts: ['tsl'] })) report;`,
  `await client.pagespeedCheck('https://a.test/', { category: ['sea'] });`,
  `await client.sslCheck('a.test', { port: 'https' });`,
  `await client.sslCheck('a.test', { maxAgeS: '60' });`,
  `await client.redirectCheck('http://a.test/', { userAgent: 'bing' });`,
  `client.each('dns-check', 'a.test', { concurency: 4 });`,
  `for await (const { report } of client.each('dns-check', ['a.test'])) report.grade;`,
  `for await (const { raport } of client.each('dns-check', ['a.test'])) console.log(raport);`,
  `client.history({ target: 1 });`,
  `for await (const { scor } of client.history()) console.log(scor);`,
  `(await client.me()).limits.scan;`,
  `(await client.diff('a')).findings;`,
  `(await client.diff('a', 'b')).findings.removed;`,
  `(await client.report('a')).dmarc;`,
  `openDiagnostics({});`,
  `openDiagnostics({ server: 'http://a.test', cache: 'disk' });`,
  `openDiagnostics({ server: 'http://a.test', tokens: 'x' });`,
  `try { await client.me(); } catch (error) { if (error instanceof DiagnosticsProblem) error.cod; }`,
];

test(`${right.length} right programs compile, and ${wrong.length} wrong ones do not`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-programs-'));
  const named = [
    ...right.map((text, at) => [`right-${at}`, text]),
    ...wrong.map((text, at) => [`wrong-${at}`, text]),
  ];
  const client = resolve('client/diagnostics.ts');
  for (const [name, text] of named)
    writeFileSync(
      join(folder, `${name}.ts`),
      `import { type Diagnostics, DiagnosticsProblem, type DnsCheckReport, type FailedReport, openDiagnostics } from '${client}';
export async function program(client: Diagnostics) { ${text} }
export type { DnsCheckReport, FailedReport }; export { DiagnosticsProblem, openDiagnostics };
`,
    );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: 'nodenext',
        target: 'esnext',
        lib: ['esnext', 'dom'],
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        typeRoots: [resolve('node_modules/@types')],
        types: ['node'],
      },
      include: ['*.ts'],
    }),
  );
  const { stdout } = spawnSync('node_modules/.bin/tsc', ['-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  const refused = new Set([...stdout.matchAll(/((?:right|wrong)-\d+)\.ts\(2,/g)].map(([, name]) => name));
  const asExpected = (name: string) => refused.has(name) === name.startsWith('wrong');
  expect(named.filter(([name = '']) => !asExpected(name)).map(([, text]) => text)).toEqual([]);
});
