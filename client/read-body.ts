/** The largest answer that is read; reports are well below. */
const bodyLimit = 64 * 1024 * 1024;
/** The largest problem document. */
const problemLimit = 1024 * 1024;

/** A body beyond the limit: asking again would only load it again. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The whole body as text. Rejects with BodyTooLarge when it is larger than 64 MiB, or 1 MiB where it says why something failed. */
export async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of piecesOf(response)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** The whole body as it is. Rejects as `readBody` does. */
export async function readBytes(response: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(response)) pieces.push(piece);
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

async function* piecesOf(response: Response): AsyncGenerator<Uint8Array, void, void> {
  const limit = response.status < 400 ? bodyLimit : problemLimit;
  if (response.body === null) return;
  const reader = response.body.getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw new BodyTooLarge(`The answer is larger than ${limit} bytes.`);
    }
    yield value;
  }
}
