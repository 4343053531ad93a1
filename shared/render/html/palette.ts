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
export function declare(palette: Palette): string {
  return colourNames.map((name) => `--${name}:${palette[name]}`).join(';');
}
