// Walks kinds of chains by Chromium, curl and redirect-check against one real server, and prints where each of them ended.
//   node test/lab/redirect-check/against-chromium.ts [part of a kind's name]
import { allKinds } from './ends/all-kinds.ts';
import { agree, showEnd, verdictOf } from './ends/compare.ts';
import { type Ends, walkKinds } from './ends/walkers.ts';

const [part = ''] = process.argv.slice(2);
const kinds = allKinds.filter(({ what }) => what.includes(part));
const seen: Ends[] = [];
console.log('| kind | Chromium | curl -L | redirect-check | grade | who is right |');
console.log('|---|---|---|---|---|---|');
await walkKinds(kinds, (ends) => {
  seen.push(ends);
  const { kind, chromium, curl, ours } = ends;
  const cells = [kind.what, ...[chromium, curl, ours].map((end) => showEnd(end, kind)), ours.grade ?? 'none'];
  console.log(`| ${[...cells, verdictOf(ends)].join(' | ')} |`);
});
const withChromium = seen.filter(({ chromium, ours }) => agree(chromium, ours));
const withCurl = seen.filter(({ curl, ours }) => agree(curl, ours));
const meant = seen.filter(({ kind, chromium, ours }) => !agree(chromium, ours) && kind.meant !== undefined);
console.log(
  `\n${seen.length} kinds: redirect-check ends where Chromium ends in ${withChromium.length}, where curl ends in ${withCurl.length}; ` +
    `${meant.length} differ from Chromium by intent, ${seen.length - withChromium.length - meant.length} do so without a reason.`,
);
