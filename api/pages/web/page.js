// All pages are complete without this file. It adds copy buttons, live progress, the list of recent checks, and, where the
// service needs a token, sends the one that was typed and keeps it in the memory of this tab.
const base = document.body.dataset.base ?? '';
const recentKey = 'recent-checks';
const mostRecent = 12;
let token = '';

/** Gives the main part of a page what only a script can do. */
function enhance() {
  for (const pre of document.querySelectorAll('main pre')) addCopyButton(pre);
  const report = document.querySelector('[data-recent]');
  if (report) keepRecent(report.dataset);
  showRecent();
  const going = document.querySelector('[data-job]');
  if (going) void follow(going);
  const form = document.getElementById('token');
  if (form) askForToken(form);
}

function addCopyButton(pre) {
  const box = document.createElement('div');
  box.className = 'copied';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(pre.textContent).then(
      () => say(button, 'Copied'),
      () => say(button, 'Select it'),
    );
  });
  pre.replaceWith(box);
  box.append(pre, button);
}

function say(button, words) {
  button.textContent = words;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

// A browser may refuse to keep anything: then there is no list.
function readRecent() {
  try {
    const list = JSON.parse(localStorage.getItem(recentKey) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function writeRecent(list) {
  try {
    localStorage.setItem(recentKey, JSON.stringify(list.slice(0, mostRecent)));
  } catch {}
}

function keepRecent({ recent, name, target, grade }) {
  const others = readRecent().filter(({ path }) => path !== recent);
  writeRecent([{ path: recent, name, target, grade }, ...others]);
}

function showRecent() {
  const section = document.getElementById('recent');
  const list = section?.querySelector('ul');
  // Only paths of this service: what is kept in a browser may be anything.
  const known = readRecent().filter(({ path }) => typeof path === 'string' && /^\/(?!\/)/.test(path));
  if (!section || !list || known.length === 0) return;
  list.replaceChildren(...known.map(makeItem));
  section.hidden = false;
  document.getElementById('forget')?.addEventListener('click', () => {
    writeRecent([]);
    section.hidden = true;
  });
}

function makeItem({ path, name, target, grade }) {
  const item = document.createElement('li');
  const mark = document.createElement('b');
  mark.textContent = String(grade);
  const link = document.createElement('a');
  link.href = path;
  link.textContent = String(target);
  const about = document.createElement('span');
  about.className = 'about';
  about.textContent = String(name);
  item.append(mark, link, about);
  return item;
}

const headers = () => (token === '' ? {} : { Authorization: `Bearer ${token}` });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks every second how far a job is, and shows its report when it has ended. */
async function follow(going) {
  const { job, self } = going.dataset;
  const words = document.getElementById('state');
  const bar = going.querySelector('progress');
  while (going.isConnected) {
    const answer = await fetch(job, { headers: headers(), redirect: 'manual' }).catch(() => undefined);
    if (!going.isConnected) return;
    if (answer?.type === 'opaqueredirect' || answer?.status === 404) return show(self, true);
    if (answer?.ok) {
      const state = await answer.json();
      if (state.state === 'expired') return show(location.href, true);
      showState(state, words, bar);
    } else words.textContent = 'The service does not answer now. Trying again.';
    const waitS = Number(answer?.headers.get('Retry-After') ?? 2);
    await pause(Math.min(5, Math.max(1, waitS)) * 1000);
  }
}

function showState({ state, position, progress }, words, bar) {
  const { done, total, current } = progress;
  const text =
    state === 'waiting'
      ? position > 1
        ? `Waiting for its turn: place ${position} in line.`
        : 'Waiting for its turn: next in line.'
      : total <= 1 && current === ''
        ? 'Started.'
        : `${Math.floor((100 * Math.min(done, total)) / Math.max(1, total))} %${current === '' ? '' : `: ${current}`}`;
  if (words.textContent !== text) words.textContent = text;
  bar.max = Math.max(1, total);
  bar.value = Math.min(bar.max, done);
  showParts(progress.parts ?? []);
}

const stateWords = {
  waiting: 'waits for its turn',
  running: 'asking',
  done: 'judged',
  failed: 'came to no end',
};

/** The parts stand on the page already; only what has changed is written again. */
function showParts(parts) {
  const items = document.getElementById('parts')?.children ?? [];
  parts.forEach(({ state }, index) => {
    const item = items[index];
    if (!item || item.dataset.state === state) return;
    item.dataset.state = state;
    item.lastElementChild.textContent = stateWords[state] ?? '';
  });
}

/** Goes to a page: as usual, or, where a token is kept, by a request that carries it, as a new page would forget it. */
async function show(address, isReplacing = false) {
  if (token === '') return isReplacing ? location.replace(address) : location.assign(address);
  return showAnswer(await fetch(address, { headers: { ...headers(), Accept: 'text/html' } }), isReplacing);
}

/** Shows what a request that carried the token has got. */
async function showAnswer(answer, isReplacing) {
  const address = answer.url;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const main = page.querySelector('main');
  if (!main) return location.assign(address);
  document.querySelector('main').replaceWith(main);
  document.title = page.title;
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', answer.url);
  scrollTo(0, 0);
  main.focus();
  enhance();
}

function askForToken(form) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    token = form.querySelector('input').value.trim();
    void show(location.href, true);
  });
}

const isPage = ({ origin, pathname }) =>
  origin === location.origin && !/^\/(?:api|docs|assets)(?:\/|$)/.test(pathname.slice(base.length));

const isPlain = ({ button, ctrlKey, metaKey, shiftKey }) => button === 0 && !ctrlKey && !metaKey && !shiftKey;

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (token === '' || !link || !isPlain(event) || !isPage(link)) return;
  if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return;
  event.preventDefault();
  void (link.hasAttribute('download') ? save(link) : show(link.href));
});

document.addEventListener('submit', (event) => {
  if (token === '' || event.defaultPrevented) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target, event.submitter));
  const asked = { method: 'POST', body, headers: { ...headers(), Accept: 'text/html' } };
  void fetch(event.target.action, asked).then((answer) => showAnswer(answer, false));
});

/** Saves what only a request with the token gets. */
async function save(link) {
  const answer = await fetch(link.href, { headers: headers() });
  if (!answer.ok) return show(link.href);
  const [, name = 'report.pdf'] =
    /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '') ?? [];
  const file = document.createElement('a');
  file.href = URL.createObjectURL(await answer.blob());
  file.download = name;
  file.click();
  setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
}

addEventListener('popstate', () => {
  if (token !== '') void show(location.href, true);
});

enhance();
