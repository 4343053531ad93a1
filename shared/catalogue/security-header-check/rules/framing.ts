import { inGroup } from '../groups.ts';
import { csp3, xFrameOptions } from './references.ts';

const frameAncestors = csp3('frame-ancestors', 'directive-frame-ancestors');

/** Who may show the page inside a frame of theirs (clickjacking). */
export const framingRules = inGroup('framing', {
  'framing-open': {
    severity: 'high',
    title: 'Any site may show this page in a frame',
    detail:
      '{url} sends neither frame-ancestors nor X-Frame-Options. Attackers can trick visitors into clicks on a page that they do not see.',
    fix: "Send frame-ancestors 'self' (or 'none') in Content-Security-Policy.",
    references: [frameAncestors, xFrameOptions],
  },
  'framing-allow-all': {
    severity: 'high',
    title: 'The framing rule allows every site',
    detail: '{header} says "{value}", which every site matches.',
    fix: "List the sites that may frame the page, or use 'self' or 'none'.",
    references: [frameAncestors, xFrameOptions],
  },
  'xfo-allow-from': {
    severity: 'high',
    title: 'X-Frame-Options uses ALLOW-FROM, which browsers ignore',
    detail: '"{value}" is ignored, so every site may frame the page.',
    fix: 'Send frame-ancestors with that origin in Content-Security-Policy.',
    references: [xFrameOptions, 'RFC 7034 §2.3.2.1'],
  },
  'xfo-invalid': {
    severity: 'high',
    title: 'X-Frame-Options has no valid value',
    detail: '"{value}" is ignored, so every site may frame the page.',
    fix: 'Send DENY or SAMEORIGIN, or better frame-ancestors in Content-Security-Policy.',
    references: [xFrameOptions],
  },
  'xfo-in-meta': {
    severity: 'high',
    title: 'X-Frame-Options is in a meta element, where it has no effect',
    detail: 'Browsers only read it from the response header. Every site may frame the page.',
    fix: 'Send it as a response header.',
    references: [xFrameOptions, 'RFC 7034 §4'],
  },
  'xfo-duplicate': {
    severity: 'low',
    title: 'X-Frame-Options is sent more than once',
    detail: 'It is sent {count} times with the same value. Browsers obey it; some other clients do not.',
    fix: 'Send it in one place.',
    references: [xFrameOptions],
  },
  'xfo-conflict': {
    severity: 'medium',
    title: 'X-Frame-Options is sent with different values',
    detail:
      'Its values {values} contradict each other. Browsers then refuse all framing, including the framing that you want.',
    fix: 'Send one value.',
    references: [xFrameOptions],
  },
  'xfo-overridden': {
    severity: 'medium',
    title: 'frame-ancestors overrides X-Frame-Options',
    detail: 'X-Frame-Options says "{value}", but frame-ancestors "{ancestors}" wins and allows every site.',
    fix: 'Make frame-ancestors as strict as X-Frame-Options.',
    references: [frameAncestors],
  },
  'csp-frame-ancestors-missing': {
    severity: 'info',
    title: 'Only X-Frame-Options restricts framing',
    detail: 'X-Frame-Options works, but it cannot list sites, and frame-ancestors replaces it.',
    fix: 'Send the same rule as frame-ancestors in Content-Security-Policy.',
    references: [frameAncestors],
  },
});
