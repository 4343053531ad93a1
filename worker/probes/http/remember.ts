import type { HttpAnswer, HttpProbe, HttpRequest } from './port.ts';

type RememberedRequest = { readonly request: HttpRequest; readonly answer: Promise<HttpAnswer> };

/** A probe that asks an equal question once: for checks that look at one site in one visit. An answer that kept less of the body than is wanted does not serve. */
export function rememberAnswers(http: HttpProbe): HttpProbe {
  const known = new Map<string, RememberedRequest>();
  return {
    ask(request) {
      const key = keyOf(request);
      const earlier = known.get(key);
      if (earlier && serves(earlier.request, request)) return earlier.answer;
      const answer = http.ask(request);
      known.set(key, { request, answer });
      return answer;
    },
  };
}

function serves(earlier: HttpRequest, wanted: HttpRequest): boolean {
  return (
    earlier.bodyLimitBytes >= wanted.bodyLimitBytes &&
    (wanted.wantsValidity !== true || earlier.wantsValidity === true) &&
    (earlier.skipRedirectBody !== true || wanted.skipRedirectBody === true || wanted.bodyLimitBytes === 0)
  );
}

function keyOf({
  url,
  method = 'GET',
  headers = {},
  asBytes = false,
  isLenient = false,
  family,
}: HttpRequest): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([method, new URL(url).href, sorted, asBytes, isLenient, family ?? null]);
}
