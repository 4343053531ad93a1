// Prints what each finding's lines bring about in each server, as scores before → after:
// node test/lab/fixes/figures.ts [set-up …]
// "stays": the finding is still there. "new": a finding above info has come. "–": no line for this server, or not this case.
import { type SetUpName, setUps } from './set-ups.ts';
import { sitesOf, type Trial, tryLines } from './try-lines.ts';

const given = process.argv.slice(2);
const chosen = (Object.keys(setUps) as SetUpName[]).filter(
  (name) => given.length === 0 || given.includes(name),
);
const rows = new Map<string, Map<SetUpName, string>>();
for (const setUp of chosen) {
  for (const trial of await tryLines(setUp, sitesOf(setUp))) {
    const name = trial.name.replace(`-${setUp}`, '');
    rows.set(name, (rows.get(name) ?? new Map<SetUpName, string>()).set(setUp, tell(trial)));
  }
}
console.log(`| finding | ${chosen.join(' | ')} |\n|---|${'---|'.repeat(chosen.length)}`);
for (const [name, cells] of rows)
  console.log(`| ${name} | ${chosen.map((setUp) => cells.get(setUp) ?? '–').join(' | ')} |`);

function tell({ site, before, after }: Trial): string {
  if (!after) return '–';
  const known = new Set(before.findings.map(({ code }) => code));
  const fresh = after.findings.filter(({ code, severity }) => severity !== 'info' && !known.has(code));
  const stays = after.findings.some(({ code }) => code === site.one.code) ? ' stays' : '';
  return `${before.score} → ${after.score}${stays}${fresh.map(({ code }) => ` new ${code}`).join('')}`;
}
