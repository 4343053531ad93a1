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
  const limit = response.status < 400 ? bodyLimit : problemLimit;
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw new BodyTooLarge(`The answer is larger than ${limit} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
