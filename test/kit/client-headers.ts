/** The header fields that real clients send with a GET by default, by client (Host and Connection left out). */
export const clientHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'node:http': {},
  curl: { 'user-agent': 'curl/8.14.1', accept: '*/*' },
  'curl --compressed': {
    'user-agent': 'curl/8.14.1',
    accept: '*/*',
    'accept-encoding': 'deflate, gzip, br, zstd',
  },
  got: {
    'user-agent': 'got (https://github.com/sindresorhus/got)',
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br, zstd',
  },
  fetch: {
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    'accept-encoding': 'gzip, deflate',
  },
  axios: {
    accept: 'application/json, text/plain, */*',
    'user-agent': 'axios/1.13.2',
    'accept-encoding': 'gzip, compress, deflate, br',
  },
  'Python requests': {
    'user-agent': 'python-requests/2.32.5',
    'accept-encoding': 'gzip, deflate',
    accept: '*/*',
  },
  Go: { 'user-agent': 'Go-http-client/1.1', 'accept-encoding': 'gzip' },
  'a browser': {
    'sec-ch-ua-platform': '"Linux"',
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    accept: '*/*',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': 'en-US,en;q=0.9',
  },
};
