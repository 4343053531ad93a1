import { type SslLabsLetter, sslLabsLetters } from '../report.ts';
import { rules, type SslCode } from '../rules.ts';
import { caps, guideCaps, leastOf, placeOf } from './caps.ts';

/** What the arithmetic of the rating guide needs. */
export type RatedFacts = {
  readonly versions: readonly (keyof typeof versionPoints)[];
  /** Lengths of the certificate's key and of every prime. */
  readonly keys: readonly { readonly type: 'modulus' | 'curve'; readonly bits: number }[];
  /** Lengths of the symmetric keys of all suites. */
  readonly cipherBits: readonly number[];
};

export type SslLabsRating = {
  /** 0 to 100: 30 % protocol, 30 % key exchange, 40 % cipher; 0 when one of them is. */
  readonly score: number;
  readonly protocolScore: number;
  readonly keyExchangeScore: number;
  readonly cipherScore: number;
  /** Of the guide. */
  readonly letter: SslLabsLetter;
  /** Ours, which what the guide does not know holds down too. */
  readonly ownLetter: SslLabsLetter;
  /** Rules that hold the letter of the guide down, worst first. */
  readonly caps: readonly { readonly letter: SslLabsLetter; readonly code: SslCode }[];
};

/** Points of the guide's tables. */
const versionPoints = {
  SSLv2: 0,
  SSLv3: 80,
  TLSv1: 90,
  'TLSv1.1': 95,
  'TLSv1.2': 100,
  'TLSv1.3': 100,
} as const;
const keySteps = {
  modulus: [512, 1024, 2048, 4096],
  curve: [110, 123, 163, 225],
} as const;
const keyPoints = [20, 40, 80, 90, 100] as const;
const letterFloors: readonly (readonly [floor: number, letter: SslLabsLetter])[] = [
  [80, 'A'],
  [65, 'B'],
  [50, 'C'],
  [35, 'D'],
  [20, 'E'],
];

/** What must have been seen to hold for the letter A+, which is given for nothing that was left out. */
export const flawlessCodes = [
  'certificate-expired',
  'certificate-root-unknown',
  'hsts-missing',
  'tls10-offered',
  'tls11-offered',
  'sslv3-offered',
  'suite-rc4-offered',
] as const satisfies readonly SslCode[];

/**
 * Rates by the SSL Server Rating Guide 2009r: arithmetic first, then the caps of broken rules.
 * @param isFlawlessKnown whether everything that A+ asks for was looked at; A otherwise
 */
export function rateSsl(
  facts: RatedFacts,
  broken: readonly SslCode[],
  isFlawlessKnown: boolean,
): SslLabsRating | null {
  const { versions, keys, cipherBits } = facts;
  if (versions.length === 0 || keys.length === 0 || cipherBits.length === 0) return null;
  const protocolScore = meanOfBestAndWorst(versions.map((version) => versionPoints[version]));
  const keyExchangeScore = Math.min(...keys.map(pointsOfKey));
  const cipherScore = meanOfBestAndWorst(cipherBits.map(pointsOfCipher));
  const isZero = [protocolScore, keyExchangeScore, cipherScore].includes(0);
  const score = isZero ? 0 : Math.floor(0.3 * protocolScore + 0.3 * keyExchangeScore + 0.4 * cipherScore);
  const found = capsOf(broken, guideCaps);
  const plain = letterFloors.find(([floor]) => score >= floor)?.[1] ?? 'F';
  const best = plain === 'A' && isFlawlessKnown ? 'A+' : plain;
  const letter = worstOf([best, ...found.map((cap) => cap.letter)]);
  const ownLetter = worstOf([letter, ...capsOf(broken).map((cap) => cap.letter)]);
  return { score, protocolScore, keyExchangeScore, cipherScore, letter, ownLetter, caps: found };
}

/** The letters that broken rules leave, worst first. */
export function capsOf(broken: readonly SslCode[], among = caps): SslLabsRating['caps'] {
  return broken
    .flatMap((code) => {
      const letter = among[code];
      return letter === undefined ? [] : [{ letter, code }];
    })
    .sort((a, b) => sslLabsLetters.indexOf(b.letter) - sslLabsLetters.indexOf(a.letter));
}

/** The worst of some letters. */
export function worstOf(letters: readonly SslLabsLetter[]): SslLabsLetter {
  return letters.reduce((worst, letter) =>
    sslLabsLetters.indexOf(letter) > sslLabsLetters.indexOf(worst) ? letter : worst,
  );
}

/** Our score: the place of the letter, less the points of broken rules that do not cap it, but never below the letter. So fixing a finding never lowers the score. */
export function scoreOf(letter: SslLabsLetter, broken: readonly SslCode[]): number {
  const lost = broken.reduce((sum, code) => sum + (caps[code] === undefined ? rules[code].points : 0), 0);
  return Math.max(leastOf(letter), placeOf(letter) - lost);
}

/** What each broken rule takes from the score, in the order of harm; together with the arithmetic's own loss they give the score. */
export function attributeScore(
  best: SslLabsLetter,
  broken: readonly SslCode[],
): { readonly [code: string]: number } {
  const ordered = [
    ...capsOf(broken).map(({ code }) => code),
    ...broken.filter((code) => caps[code] === undefined),
  ];
  const effects: { [code: string]: number } = {};
  const scoreWith = (codes: readonly SslCode[]) =>
    scoreOf(worstOf([best, ...capsOf(codes).map(({ letter }) => letter)]), codes);
  ordered.forEach((code, index) => {
    effects[code] = scoreWith(ordered.slice(0, index + 1)) - scoreWith(ordered.slice(0, index));
  });
  return effects;
}

function meanOfBestAndWorst(points: readonly number[]): number {
  return (Math.max(...points) + Math.min(...points)) / 2;
}

function pointsOfKey({ type, bits }: RatedFacts['keys'][number]): number {
  return keyPoints[keySteps[type].filter((step) => bits >= step).length] ?? 100;
}

function pointsOfCipher(bits: number): number {
  if (bits === 0) return 0;
  if (bits < 128) return 20;
  return bits < 256 ? 80 : 100;
}
