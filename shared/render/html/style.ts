import { createHash } from 'node:crypto';
import { severities } from '../../model/verdict.ts';

/** Colours of one mode: text and marks stand on `ground` and on `panel`. */
type Palette = { readonly [name in (typeof colourNames)[number]]: string };

const phases = ['wait', 'dns', 'tcp', 'tls', 'ttfb', 'download'] as const;
const colourNames = [
  'ground',
  'panel',
  'line',
  'ink',
  'muted',
  'link',
  'pass',
  ...severities,
  ...phases,
] as const;

/** What a redirect's time is made of, in order; the names of the report's fields. */
export const phaseNames: readonly string[] = phases;

/** By day and on paper. */
export const light: Palette = {
  ground: '#ffffff',
  panel: '#f5f6f8',
  line: '#c9ced6',
  ink: '#1a1d21',
  muted: '#545b65',
  link: '#0b57d0',
  pass: '#1b6a33',
  critical: '#8a1014',
  high: '#b3261e',
  medium: '#8a5200',
  low: '#1b5fa8',
  info: '#545b65',
  wait: '#6f7680',
  dns: '#00796b',
  tcp: '#a85400',
  tls: '#7b3fb5',
  ttfb: '#1b5fa8',
  download: '#1b6a33',
};

/** By night. */
export const dark: Palette = {
  ground: '#14171b',
  panel: '#1d2127',
  line: '#434a54',
  ink: '#e7e9ec',
  muted: '#aab1bb',
  link: '#8ab4f8',
  pass: '#81c995',
  critical: '#ff9a94',
  high: '#ffab91',
  medium: '#f2c14e',
  low: '#8ab4f8',
  info: '#b4bac3',
  wait: '#9aa1ab',
  dns: '#4db6ac',
  tcp: '#f0a35e',
  tls: '#c39bea',
  ttfb: '#8ab4f8',
  download: '#81c995',
};

/** The palette as declarations of custom properties. */
function declare(palette: Palette): string {
  return colourNames.map((name) => `--${name}:${palette[name]}`).join(';');
}

const marks = [...severities, 'pass']
  .map((name) => `.${name}{--mark:var(--${name})}`)
  .concat(phaseNames.map((name) => `.phase-${name}{fill:var(--${name})}`))
  .join('\n');

/** Each row of a table as a card: the heads stand before its values. */
const cards = (
  table: string,
) => `${table} thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
${table},${table}>tbody{display:block;width:100%}
${table}>tbody>tr{display:block;border:1px solid var(--line);margin:0 0 .5rem;padding:.25rem .5rem}
${table}>tbody>tr>th,${table}>tbody>tr>td{display:block;border:0;padding:.15rem 0;min-width:0;max-width:none;background:none}
${table}>tbody>tr>td[data-label]::before{content:attr(data-label);display:block;color:var(--muted);font-size:.85em}
${table}>tbody>tr>td[data-label]:not(:has(table,ul))::before{display:inline-block;min-width:35%;padding-right:.5rem}
${table}>tbody>tr>td:empty{display:none}`;

/** The lines of the way that is chosen; no fix has more ways. */
const waysMost = 10;
const waysShown = Array.from(
  { length: waysMost },
  (_, at) => `.ways input:nth-of-type(${at + 1}):checked~.way:nth-of-type(${at + 1})`,
)
  .join(',')
  .concat('{display:block}');

/** The page's only style sheet. Nothing of a report goes into it, so its hash never changes between reports. */
export const style = `
:root{color-scheme:light dark;${declare(light)}}
@media (prefers-color-scheme:dark){:root{${declare(dark)}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.25rem 1rem 1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h1 .ascii{color:var(--muted);font-size:.6em;font-weight:400}
h2{font-size:1.2rem;margin:1.1rem 0 .4rem;border-bottom:1px solid var(--line)}
h3{font-size:1.1rem;margin:1.5rem 0 .5rem}
h4{font-size:1rem;margin:0 0 .25rem}
p{margin:.25rem 0 .6rem}
a{color:var(--link);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
code,pre,bdi.value{font-family:ui-monospace,monospace;font-size:.9em}
code,bdi{unicode-bidi:isolate}
pre{margin:.5rem 0;padding:.6rem .8rem;background:var(--ground);border:1px solid var(--line);border-radius:.3rem;white-space:pre-wrap}
pre code{font-size:1em;user-select:all}
ul,ol{margin:.25rem 0 .75rem;padding-left:1.4rem}
.check,.facts,.none,.more,.hint{color:var(--muted)}
.check{margin:0;font-size:1rem}
.facts{margin:0 0 .5rem;font-size:.9rem}
.summary{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;margin:.75rem 0}
.summary svg{flex:0 1 auto}
.notice{border-left:.3rem solid var(--medium);padding:.5rem .8rem;background:var(--panel)}
svg{max-width:100%;height:auto;font:13px system-ui,sans-serif}
svg text{fill:var(--ink)}
svg .quiet{fill:var(--muted)}
.track{stroke:var(--line);fill:none}
.bar-track{fill:var(--line)}
.arc{stroke:var(--mark);fill:none}
.bar,.shape{fill:var(--mark)}
.shape-sign{fill:var(--panel)}
.finding{border:1px solid var(--line);border-left:.35rem solid var(--mark);border-radius:.3rem;background:var(--panel);padding:.4rem .9rem;margin:0 0 .5rem}
.finding h3{font-size:1.05rem;margin:0}
.finding h4{font-size:.9rem;margin:.5rem 0 0}
.finding p{margin:.15rem 0 .3rem}
.finding .facts{margin:0}
.finding pre{margin:.3rem 0}
.below{display:flex;flex-wrap:wrap;gap:0 1.5rem;justify-content:space-between;align-items:start}
.below details{flex:1 1 20rem;margin:0;min-width:0}
.line{margin:0;border-bottom:1px solid var(--line)}
.line>summary{font-weight:400}
.line>summary .facts{margin-left:.4rem}
.line[open]>summary{font-weight:600}
.line .finding{margin:.4rem 0 .8rem}
.notes{margin:.5rem 0}
.ways{border:0;margin:.3rem 0;padding:0;min-width:0}
.ways label{display:inline-block;padding:.1rem .7rem;border:1px solid var(--line);border-bottom:0;border-radius:.3rem .3rem 0 0;cursor:pointer}
.ways input{position:absolute;opacity:0}
.ways input:checked+label{background:var(--ground);font-weight:600}
.ways input:focus-visible+label{outline:3px solid var(--link);outline-offset:2px}
.ways pre{margin:0;border-radius:0 .3rem .3rem}
.way{display:none}
.record{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .7rem;align-items:start;margin:.3rem 0}
.record dt{font-weight:600;padding-top:.5rem}
.record dd{margin:0;min-width:0}
${waysShown}
.folds{margin:1.5rem 0 0}
.fold{margin:0;border-bottom:1px solid var(--line)}
.fold>summary :is(h2,h3){display:inline;border:0;font-size:1.05rem}
.paper{display:none}
.severity{color:var(--mark)}
.mark{width:1em;height:1em;vertical-align:-.12em}
table{border-collapse:collapse;max-width:100%;margin:.25rem 0 .75rem;font-size:.9rem}
th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
th{font-weight:600;background:var(--panel)}
td table{margin:0}
td,tbody th{min-width:4.5rem}
.scroll>svg{max-width:none}
th{overflow-wrap:normal}
bdi.value{overflow-wrap:anywhere}
.finding .scroll{--under:var(--panel)}
.scroll{--under:var(--ground);overflow-x:auto;background:linear-gradient(90deg,var(--under) 1rem,transparent 2rem) 0/2rem 100% no-repeat local,linear-gradient(-90deg,var(--under) 1rem,transparent 2rem) 100%/2rem 100% no-repeat local,linear-gradient(90deg,var(--line),transparent) 0/.9rem 100% no-repeat,linear-gradient(-90deg,var(--line),transparent) 100%/.9rem 100% no-repeat}
.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.jump{display:flex;flex-wrap:wrap;flex:1 1 auto;gap:.25rem 1.25rem;list-style:none;padding:0;margin:0}
p.key{margin:.25rem 0 .1rem;font-weight:600;font-size:.9rem}
.piece+.piece{border-top:1px solid var(--line);padding-top:.5rem}
.vitals{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem}
td.number{min-width:3rem;white-space:nowrap;text-align:right;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--muted);padding:0 0 .25rem}
details{margin:0 0 1rem}
.fields details{margin:0}
.see{display:flex;flex-wrap:wrap;gap:0 1.25rem;list-style:none;padding:0}
summary{cursor:pointer;font-weight:600;padding:.25rem 0}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.9rem}
.codes{columns:20rem;list-style:none;padding:0}
.codes li{break-inside:avoid;padding:.15rem 0}
.picture{margin:0}
.picture svg text.small{font-size:11px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.changes{border-left:.35rem solid var(--link);background:var(--panel);border-radius:.3rem;padding:.4rem 1rem;margin:.75rem 0}
dl{margin:.25rem 0}
dt{font-weight:600;margin-top:.4rem}
dd{margin:0 0 0 1.2rem}
.line{stroke:var(--link);stroke-width:2.5;fill:none}
.dot{fill:var(--link)}
.wire{stroke:var(--mark,var(--muted));stroke-width:1.5;fill:none}
.box{fill:var(--panel);stroke:var(--mark,var(--line));stroke-width:1.5}
.band{fill:var(--mark)}
.ring{fill:none;stroke:var(--ink);stroke-width:2}
.pointer{fill:var(--ink)}
svg .toned{fill:var(--mark)}
.tree,.tree ul{list-style:none;padding-left:1.1rem;border-left:2px solid var(--line);margin:.25rem 0}
.tree li{padding:.2rem 0}
.upright{display:none}
.chain,.ways-in{list-style:none;padding:0}
.chain>li,.ways-in>li{border:1px solid var(--line);border-radius:.3rem;background:var(--panel);padding:.4rem .7rem;margin:0 0 .5rem}
.chain>li+li{margin-top:1.6rem;position:relative}
.chain>li+li::before{content:"↓";position:absolute;top:-1.65rem;left:50%;color:var(--muted)}
.requests li{padding:.2rem 0}
.requests .facts{margin:0}
.lane{display:block;width:100%;height:.5rem;margin:.15rem 0}
@media screen and (max-width:40rem){
.upright{display:block}
.wide{display:none}
${cards('.rows')}
.pairs,.pairs>tbody,.pairs>tbody>tr,.pairs>tbody>tr>th,.pairs>tbody>tr>td{display:block;width:100%;min-width:0;max-width:none}
.pairs>tbody>tr>th,.pairs>tbody>tr>td{border:0;background:none;padding:.1rem 0}
.pairs>tbody>tr{border-bottom:1px solid var(--line);padding:.2rem 0}
.summary{margin:.25rem 0 .5rem;gap:.25rem .9rem;flex-wrap:nowrap}
.summary .gauge{width:116px;flex:0 0 auto}
.summary .bars{display:none}
.summary .jump{display:block;margin:0;font-size:.9rem;line-height:1.75}
.raise h2{margin:.75rem 0 .4rem;font-size:1.15rem}
.notice{padding:.25rem .6rem;margin:.25rem 0 .5rem;font-size:.9rem;line-height:1.4}
}
.raise ol{padding-left:1.6rem;columns:26rem 2;column-gap:2rem;margin:0 0 .4rem}
.raise li{break-inside:avoid;padding:.1rem 0}
.raise .severity{font-size:.85rem}
.raise .gain,.from{color:var(--muted);font-size:.9rem}
.raise .hint,.raise .together{margin:.2rem 0 0}
.raise .together{font-weight:600}
footer{margin-top:1.25rem;color:var(--muted);font-size:.9rem}
${marks}
@media print{
:root{${declare(light)}}
@page{margin:14mm}
body{max-width:none;padding:0;font-size:9pt;line-height:1.35}
pre,tr,svg,.finding{break-inside:avoid}
h2,h3,h4,caption,.finding .facts{break-after:avoid}
*{print-color-adjust:exact}
.scroll{overflow:visible}
td,tbody th,td.number{min-width:0}
.scroll>svg{max-width:100%}
th{overflow-wrap:break-word}
.jump,.picture details,.seen>:not(.why),.ways input,.ways label~label,.line>summary,.fold>:not(summary),.raise ol~.hint{display:none}
.way:first-of-type{display:block!important}
.way~.way{display:none!important}
.paper{display:block}
summary{list-style:none}
details::details-content{content-visibility:visible;block-size:auto}
.why::before{content:"Why it matters: ";font-weight:600}
${cards('.many')}
.finding a[href]::after{content:" <" attr(href) ">";color:var(--muted)}
}
`;

const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
const ownPolicy = `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action 'none'`;

/** The policy to send with the page as Content-Security-Policy: one style sheet, by its hash, and nothing else. */
export const htmlPolicy = `${ownPolicy}; frame-ancestors 'none'; sandbox`;

/** What of it a page can say of itself, for a copy that was saved (HTML Standard: no frame-ancestors, no sandbox in a meta). */
export const metaPolicy = ownPolicy;
