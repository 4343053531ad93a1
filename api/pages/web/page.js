// All pages are complete without this file. It adds copy buttons, live progress, and the list of recent checks.
const recentKey = 'recent-checks';
const mostRecent = 12;

/** Gives the main part of a page what only a script can do. */
function enhance() {
  for (const pre of document.querySelectorAll('main pre')) addCopyButton(pre);
  const report = document.querySelector('[data-recent]');
  if (report) keepRecent(report.dataset);
  showRecent();
  const going = document.querySelector('[data-job]');
  if (going) void follow(going);
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

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks every second how far a job is, and shows its report when it has ended. */
async function follow(going) {
  const { job, self } = going.dataset;
  const words = document.getElementById('state');
  const bar = going.querySelector('progress');
  while (going.isConnected) {
    const answer = await fetch(job, { redirect: 'manual' }).catch(() => undefined);
    if (!going.isConnected) return;
    if (answer?.type === 'opaqueredirect' || answer?.status === 404) return location.replace(self);
    if (answer?.ok) {
      const state = await answer.json();
      if (state.state === 'expired') return location.replace(location.href);
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

enhance();
