import { type Token, Tokenizer, TokenizerMode } from 'parse5';
import { sliceLength, type Work } from '../probes/work.ts';
import { openForeignContent } from './foreign-content.ts';

/** What reading a page yields, in document order. Templates are left out: they are no part of the page. */
export type TagReader = {
  readonly onTag: (tag: Token.TagToken) => void;
  /** The text of a script element; `tag` is its start tag. */
  readonly onScript?: (text: string, tag: Token.TagToken) => void;
};

/** Elements whose content is text to browsers that run scripts (HTML Standard, §13.2.6.4.4 and .7). */
const textModes = new Map<string, Tokenizer['state']>([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
]);

/**
 * Reads the tags of an HTML page in order, and builds no tree of them: half a megabyte of misnested tags
 * costs a tree builder 0.2 to 0.9 s of the loop that all runs share, the tokens alone 15 to 70 ms (warm and cold, measured).
 * @returns undefined at the end of the page, or why it was not read to its end
 */
export async function readTags(html: string, reader: TagReader, work: Work): Promise<string | undefined> {
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    handlerOf(reader, () => tokenizer),
  );
  return readInSlices(html, work, (slice, isLast) => tokenizer.write(slice, isLast));
}

/**
 * Gives a text to its reader slice by slice, as far as the run's work reaches.
 * @param read stops the reading by true
 * @returns why the text was not read to its end, where the work ran out
 */
export async function readInSlices(
  text: string,
  work: Work,
  read: (slice: string, isLast: boolean) => unknown,
): Promise<string | undefined> {
  for (let at = 0; at === 0 || at < text.length; at += sliceLength) {
    const slice = text.slice(at, at + sliceLength);
    const spent = await work.take(slice.length);
    if (spent !== undefined) return spent;
    if (read(slice, at + sliceLength >= text.length) === true) return undefined;
  }
  return undefined;
}

/** The value of an attribute; undefined where the tag has none. */
export function attributeOfTag(tag: Token.TagToken, name: string): string | undefined {
  return tag.attrs.find((attribute) => attribute.name === name)?.value;
}

function handlerOf({ onTag, onScript }: TagReader, tokenizer: () => Tokenizer) {
  // What stands in a template is no part of the page until a script takes it out.
  let templates = 0;
  let script: { readonly tag: Token.TagToken; readonly texts: string[] } | undefined;
  const foreign = openForeignContent();
  const keep = ({ chars }: Token.CharacterToken) => void script?.texts.push(chars);
  return {
    onStartTag(tag: Token.TagToken) {
      const isForeign = foreign.start(tag);
      const mode = isForeign ? undefined : textModes.get(tag.tagName);
      tokenizer().state = mode ?? TokenizerMode.DATA;
      tokenizer().inForeignNode = foreign.isInside();
      if (tag.tagName === 'template') templates += 1;
      else if (templates > 0) script = undefined;
      else if (tag.tagName === 'script') script = onScript && { tag, texts: [] };
      else onTag(tag);
    },
    onEndTag({ tagName }: Token.TagToken) {
      foreign.end(tagName);
      tokenizer().inForeignNode = foreign.isInside();
      if (tagName === 'template') templates = Math.max(0, templates - 1);
      if (tagName !== 'script' || script === undefined) return;
      onScript?.(script.texts.join(''), script.tag);
      script = undefined;
    },
    onCharacter: keep,
    onWhitespaceCharacter: keep,
    onNullCharacter: keep,
    onComment: () => undefined,
    onDoctype: () => undefined,
    onEof: () => undefined,
  };
}
