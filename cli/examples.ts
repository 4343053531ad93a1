import type { Command } from 'commander';

const reportId = '2b1ed926bd7b386b13a93478d923e39a';
const watchId = '5f0c1e0b7a9d4c3e8b2a6d1f4e7c9a0b';
const other = '9f86d081884c7d659a2feaa0c55ad015';

/** What the help of each command shows. A check's own stand beside it; a command that is not here shows how it is called. */
const examples: { readonly [command: string]: readonly string[] } = {
  serve: ['diag serve', 'PORT=8080 AUTH_MODE=token diag serve'],
  api: ['REDIS_URL=redis://redis MONGODB_URL=mongodb://mongo diag api'],
  worker: ['REDIS_URL=redis://redis MONGODB_URL=mongodb://mongo WORKER_QUEUES=network diag worker'],
  assess: ['diag redirect-check http://example.com/ --local --evidence seen.json', 'diag assess seen.json'],
  evidence: [`diag evidence ${reportId} | diag assess -`],
  report: [`diag report ${reportId}`, `diag report ${reportId} -o json`],
  export: [`diag export ${reportId} --format pdf --out report.pdf`, `diag export ${reportId} --format csv`],
  diff: [`diag diff ${other} ${reportId}`, 'diag diff monday.ndjson tuesday.ndjson'],
  history: ['diag history --target example.com', 'diag history --check ssl-check --limit 100 -o ndjson'],
  findings: ['diag findings --check ssl-check', 'diag findings -o json'],
  doctor: ['diag doctor', 'diag doctor --server https://diag.example'],
  mcp: ['diag mcp', 'diag mcp --server https://diag.example --token-file token.txt'],
  completion: ['source <(diag completion bash)', 'diag completion fish | source'],
  'token create': [
    'diag token create --name batch --expires 90d',
    'diag token create --name monitor --scopes tools --scans 600/60',
  ],
  'token list': ['diag token list', 'diag token list -o json'],
  'token rotate': ['diag token rotate tok_1 --keep-for 24h'],
  'watch create': [
    'diag watch create ssl-check example.com --every 1d --webhook https://hooks.example/diag',
    'diag watch create domain-health -f domains.txt --every 7d --label ours --option parts=dns,mail',
  ],
  'watch list': ['diag watch list', 'diag watch list -o json'],
  'watch show': [`diag watch show ${watchId}`],
  'watch secret': [`diag watch secret ${watchId}`],
  'watch links': ['diag watch links', 'diag watch links -o json'],
  'watch replay': [`diag watch replay ${watchId} evt_${other}`],
  'queue why': [`diag queue why ${other}`],
  'queue pause': ['diag queue pause ssl-check', 'diag queue pause pagespeed-check --for 2h'],
  'queue resume': ['diag queue resume ssl-check'],
};

/** Adds examples to the help of every command that has none of its own. */
export function addExamples(program: Command): void {
  program.addHelpText('after', textOf(['diag example.com --local', 'diag ssl-check --help']));
  for (const command of program.commands) addTo(command, command.name());
}

function addTo(command: Command, path: string): void {
  for (const inner of command.commands) addTo(inner, `${path} ${inner.name()}`);
  // A check's help has them already.
  if (path.endsWith('-check') || path === 'domain-health' || command.commands.length > 0) return;
  const lines = examples[path] ?? [['diag', path, ...command.registeredArguments.map(wordOf)].join(' ')];
  command.addHelpText('after', textOf(lines));
}

function textOf(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

function wordOf(argument: { name(): string; readonly required: boolean }): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}
