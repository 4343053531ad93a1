/** The largest answer that is read; reports are well below. */
const bodyLimit = 64 * 1024 * 1024;

/** The whole body as text. Rejects when it is larger than 64 MiB. */
export async function readBody(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > bodyLimit) {
      await reader.cancel();
      throw new Error(`The answer is larger than ${bodyLimit} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
