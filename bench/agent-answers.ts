import { readFileSync } from 'node:fs';
import { catalogue } from '#shared/catalogue/registry';
import { shortenReport } from '#shared/mcp/short-report';
import { agentTools } from '#shared/mcp/tools';
import type { Report } from '#shared/model/report';
import type { Section } from './section.ts';

const link = 'https://diag.example/reports/0123456789abcdef0123456789abcdef';
const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

/** What an agent reads over MCP: the tools once, and the short form of each report beside the whole. */
export function bench(): Promise<Section> {
  const rows = catalogue.map(({ name }) => {
    const report = JSON.parse(readFileSync(`test/fixtures/golden/${name}.json`, 'utf8')) as Report;
    const [short, whole] = [bytesOf(shortenReport(report, link)), bytesOf(report)];
    return [
      name,
      kilobytes(short),
      kilobytes(whole),
      (short / whole).toFixed(2),
      String(report.findings.length),
    ];
  });
  return Promise.resolve({
    title: 'What an agent reads',
    about: `The answer of each tool of \`diag mcp\` and \`/mcp\`, as JSON, for the reports with many findings that the tests keep, beside the whole report behind its link. The list of ${agentTools.length} tools, which an agent reads once, has ${kilobytes(bytesOf(agentTools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))))}.`,
    columns: ['check', 'short form', 'whole report', 'ratio', 'findings'],
    rows,
    limits: 'the number of findings: the gravest are told whole, the others by title.',
  });
}
