import { markup, printMarkup } from '#shared/render/markup';
import type { Devtools } from '../probes/browser/devtools.ts';

/** What is printed. Texts of the title and the note are escaped here; the page has escaped its own. */
export type Paper = { readonly html: string; readonly title: string; readonly note: string };

/** The PDF and how many requests of the page were refused, or why there is none. `failure` is a sentence's end. */
export type Printed = { readonly pdf: Uint8Array; readonly refused: number } | { readonly failure: string };

/** A4, in inches. */
const paper = { paperWidth: 8.27, paperHeight: 11.69 };
const pieceBytes = 262_144;

/** Has a browser print the page as a tagged PDF with an outline. */
export async function printPage(
  devtools: Devtools,
  { html, title, note }: Paper,
  pdfBytes: number,
): Promise<Printed> {
  const { targetId } = await devtools.ask('Target.createTarget', { url: 'about:blank' });
  const attached = await devtools.ask('Target.attachToTarget', { targetId, flatten: true });
  const ask = (method: string, parameters: Readonly<Record<string, unknown>> = {}) =>
    devtools.ask(method, parameters, String(attached['sessionId']));
  let refused = 0;
  devtools.on('Fetch.requestPaused', ({ requestId }) => {
    refused += 1;
    // The answer is of no use: a request that is not let go stays where it is.
    ask('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined);
  });
  await ask('Emulation.setScriptExecutionDisabled', { value: true });
  await ask('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  const { frameTree } = await ask('Page.getFrameTree');
  const { id: frameId } = (frameTree as { readonly frame: { readonly id: string } }).frame;
  await ask('Page.setDocumentContent', { frameId, html });
  const { stream } = await ask('Page.printToPDF', {
    ...paper,
    printBackground: true,
    displayHeaderFooter: true,
    headerTemplate: edge(title, false),
    footerTemplate: edge(note, true),
    generateTaggedPDF: true,
    generateDocumentOutline: true,
    transferMode: 'ReturnAsStream',
  });
  const pdf = await readStream((parameters) => ask('IO.read', { handle: stream, ...parameters }), pdfBytes);
  return pdf ? { pdf, refused } : { failure: 'it is larger than a PDF may be' };
}

/** The line above or below each page. Chromium fills in the page's number by the class. */
function edge(text: string, isNumbered: boolean): string {
  const number = markup`<span>Page <span class="pageNumber"></span> of <span class="totalPages"></span></span>`;
  const style =
    'width:100%;margin:0 16mm;display:flex;justify-content:space-between;gap:8mm;font:8px sans-serif;color:#555;white-space:nowrap;overflow:hidden';
  return printMarkup(
    markup`<div style="${style}"><span style="overflow:hidden;text-overflow:ellipsis">${text}</span>${isNumbered ? number : ''}</div>`,
  );
}

type Piece = Readonly<Record<string, unknown>>;

async function readStream(
  read: (parameters: { readonly size: number }) => Promise<Piece>,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes <= limitBytes;) {
    const { data, base64Encoded, eof } = await read({ size: pieceBytes });
    const piece = Buffer.from(String(data), base64Encoded === true ? 'base64' : 'latin1');
    bytes += piece.length;
    pieces.push(piece);
    if (eof === true && bytes <= limitBytes) return Buffer.concat(pieces);
  }
  return undefined;
}
