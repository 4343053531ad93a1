import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { block, coloured, join, show, wrap } from '../../cli/door.ts';

/** The door itself, and doctor, which prints only what it found on this machine. */
const allowed = new Set(['cli/door.ts']);
const waysOut = /console\.|process\.(?:stdout|stderr)|\{ ?(?:stdout|stderr)\b|_rawDebug|writeSync\((?:1|2),/;

test('nothing in cli/ prints but through the one door', () => {
  const files = globSync('cli/**/*.ts').filter((file) => !allowed.has(file));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => waysOut.test(readFileSync(file, 'utf8')))).toEqual([]);
});

describe('what the door shows', () => {
  const title = '\u001b]0;x\u0007';
  test('every value of a template is made visible, the template’s own words are not', () => {
    expect(show`a\n${title} ${1} ${null}${undefined}`.text).toBe('a\n␛]0;x␇ 1 ');
  });
  test('what was shown already is taken as it is', () => {
    expect(show`${coloured(31, title)}`.text).toBe('\u001b[31m␛]0;x␇\u001b[0m');
    expect(join([show`${'\n'}`, show`b`], '\n').text).toBe('␊\nb');
  });
  test('an object that only looks like it is not', () => {
    const forged = JSON.parse('{"text":"\\u001b[2J"}') as string;
    expect(show`${forged}`.text).not.toContain('\u001b');
  });
  test('a block keeps its lines, tabs and ends of csv, and nothing else', () => {
    expect(block('a\tb\r\nc\rd\n\u202e\u200b\u009b').text).toBe('a\tb\r\nc␍d\n⟨U+202E⟩⟨U+200B⟩⟨U+009B⟩');
  });
  test('words are wrapped at the columns of a terminal, with the indent of the first line', () => {
    expect(wrap('one two three four five six', 2, 22).text).toBe('one two three four\n  five six');
    expect(wrap(`a ${'x'.repeat(40)} b`, 0, 20).text).toBe(`a\n${'x'.repeat(40)}\nb`);
    expect(wrap(`${title} b`, 0, 20).text).toBe('␛]0;x␇ b');
  });
  test('without a terminal words stay on one line', () => {
    expect(wrap('one two three', 0, undefined).text).toBe('one two three');
  });
});
