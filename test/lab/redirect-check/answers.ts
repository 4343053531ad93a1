import type { RequestListener } from 'node:http';

type Headers = Readonly<Record<string, string | string[]>>;

/** Redirects; the Location is sent as latin1, byte by byte. */
export function to(location: string, status = 301, headers: Headers = {}): RequestListener {
  return (_request, response) => response.writeHead(status, { location, ...headers }).end();
}

/** Shows an HTML page. */
export function page(html = '<p>hello', headers: Headers = {}, status = 200): RequestListener {
  return (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
}

/** Answers by path; a path that is not there is 404. */
export function paths(answers: Readonly<Record<string, RequestListener>>): RequestListener {
  return (request, response) => {
    const path = request.url ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    return answer ? answer(request, response) : response.writeHead(404).end();
  };
}

/** Sends these bytes instead of an answer, and ends the connection. */
export function bytes(text: string): RequestListener {
  return (_request, response) => response.socket?.end(text, 'latin1');
}
