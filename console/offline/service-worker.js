// Serves the page and its files offline, and nothing of the API. The page comes from the server where that is reachable,
// so the next visit shows a new version; the files are named after their content, and never change.

/** The names of the files, and the version of the build, which fills them in. */
const BUILD = '__BUILD__';

const { scope } = self.registration;
/** With the scope, because one host may serve several consoles. */
const PREFIX = `lanreach ${scope} `;
/** From the URL that the page registers, so each language has its own worker. */
const LANGUAGE = new URL(self.location.href).searchParams.get('language');
const CACHE = `${PREFIX}${BUILD.version} ${LANGUAGE}`;
const PAGE = new URL('index.html', scope).href;
const FILES = new Set([...BUILD.files, ...(BUILD.byLanguage[LANGUAGE] ?? [])].map((name) => new URL(name, scope).href));
/** The wait for the server before the worker serves the kept page. */
const PATIENCE_MS = 4_000;

self.addEventListener('install', (event) => event.waitUntil(fill()));
self.addEventListener('activate', (event) => event.waitUntil(removeOld()));
self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const address = url.split(/[?#]/, 1)[0];
  if (method !== 'GET') return;
  if (mode === 'navigate' && (address === scope || address === PAGE)) event.respondWith(page(event.request));
  else if (FILES.has(url)) event.respondWith(file(event.request));
});

/** One after the other: the page is loading at the same time, and the browser has most of them in its cache by now. */
async function fill() {
  const cache = await caches.open(CACHE);
  for (const url of FILES) await cache.put(url, (await caches.match(url)) ?? (await answered(url)));
  await cache.put(PAGE, await answered(PAGE, { cache: 'no-cache' }));
}

async function answered(url, options) {
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response;
}

async function removeOld() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
}

async function page(request) {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.status < 500) return response;
  } catch {} // The server is unreachable.
  return (await caches.match(PAGE)) ?? Response.error();
}

async function file(request) {
  return (await caches.match(request)) ?? fetch(request);
}
