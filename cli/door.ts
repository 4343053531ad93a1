import { visible, visibleLines } from '#shared/render/visible-text';

// Everything that the command prints leaves through this file (a test looks for other ways). What comes from a server, a target, a file
// or a store may hold characters that set a terminal's title, clear it, or turn the order of reading.

/** What makes a text shown: nothing that was parsed has it. */
const isShown: unique symbol = Symbol('shown');
/** Text in which everything can be seen: only what is made here is one. */
export type Shown = { readonly text: string; readonly [isShown]: true };

type Value = string | number | null | undefined | Shown;

function shown(text: string): Shown {
  return { text, [isShown]: true };
}

/** A line: the words of the template are ours, and in each value that is text every character is made visible. */
export function show(words: TemplateStringsArray, ...values: readonly Value[]): Shown {
  return shown(words.map((word, at) => (at === 0 ? word : `${textOf(values[at - 1])}${word}`)).join(''));
}

function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return visible(String(value));
  // Only what was made here is taken as it is; what merely has its form is made visible.
  return isShown in value ? value.text : visible(JSON.stringify(value));
}

/** Several as one, with a text of ours between them. */
export function join(parts: readonly Shown[], between = ''): Shown {
  return shown(parts.map(({ text }) => text).join(between));
}

/** A block of text: its line feeds and tabs stay, also the line ends of csv. */
export function block(text: string): Shown {
  return shown(text.split('\r\n').map(visibleLines).join('\r\n'));
}

/**
 * A text of words, broken between them where stdout is a terminal; elsewhere it stays one line, so that a search finds it.
 * @param indent columns before the first line, which the caller fills; the other lines have as many spaces
 * @param columns how wide the terminal is; undefined where there is none
 */
export function wrap(text: string, indent: number, columns = columnsOfStdout()): Shown {
  if (columns === undefined) return shown(visible(text));
  const room = Math.max(narrowest, columns - indent);
  const lines: string[] = [];
  let line = '';
  for (const word of visible(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > room) lines.push(line);
    line = line !== '' && longer.length > room ? word : longer;
  }
  return shown([...lines, line].join(`\n${' '.repeat(indent)}`));
}

/** A terminal that is narrower breaks lines itself. */
const narrowest = 20;

function columnsOfStdout(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
}

/** Text in a colour of the terminal. @param colour a number of SGR, such as 31 */
export function coloured(colour: number, text: string): Shown {
  return shown(`\u001b[${colour}m${visible(text)}\u001b[0m`);
}

/** A line on stdout. */
export function say(line: Shown): void {
  process.stdout.write(`${line.text}\n`);
}

/** A line on stderr. */
export function warn(line: Shown): void {
  process.stderr.write(`${line.text}\n`);
}

/** A form for programs on stdout, with a line feed: its writer has escaped what is in it. */
export function sayForProgram(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Draws the one line of stderr again; empties it where there is none. Nothing where stderr is no terminal. */
export function redraw(line?: Shown): void {
  const { stderr } = process;
  if (stderr.isTTY) stderr.write(`\r\u001b[2K${line?.text.slice(0, (stderr.columns || 80) - 1) ?? ''}`);
}

/** True where somebody watches stderr. */
export function isWatched(): boolean {
  return process.stderr.isTTY;
}

/** True where colours are wanted: on a terminal, unless NO_COLOR is set (no-color.org). */
export function hasColour(): boolean {
  return process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}

/** True where stdout is a terminal. */
export function isForPerson(): boolean {
  return process.stdout.isTTY;
}

/** Output that may be long: each call waits until the reader has room. */
export type Output = {
  /** For people. */
  readonly print: (text: Shown) => Promise<void>;
  /** For programs, as it is: its writer has escaped what is in it. */
  readonly pass: (text: string) => Promise<void>;
  /** A file that is no text. */
  readonly passBytes: (bytes: Uint8Array) => Promise<void>;
};

/** Opens stdout for long output. @param onClosed the reader has gone (`| head`): nothing more is wanted */
export function openOutput(onClosed: () => void): Output {
  const { stdout } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
  const pass = (text: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      if (text.length === 0) resolve();
      // The callback comes also after an error, which the listener has met by then.
      else stdout.write(text, () => resolve());
    });
  return { pass, passBytes: pass, print: ({ text }) => pass(text) };
}
