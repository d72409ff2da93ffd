/**
 * The size of the project, and its bounds: `npm run size`. A size only shrinks. A change that makes a folder smaller lowers its bound in the same commit (`npm run size -- --lower`);
 * a bound that rises needs an entry under `raised` in size.json that names the issue which allows it.
 * `test/project/size.test.ts` holds the bounds.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BOUNDS_FILE = join(ROOT, 'scripts', 'size.json');

const CODE = /\.(?:tsx?|mjs|cjs|js|css|sh)$/;
/** Data, and catalogues of translators. */
const DATA = /(?:^|\/)(?:fixtures|catalogues|messages)\//;
const TEST = /\.test\.tsx?$|^test\//;
/** The one generated document. */
const GENERATED = 'docs/errors.md';

/** The existing files that git tracks, by their paths from the root. */
export function trackedFiles() {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)));
}

/** Lines of source and of tests in each top-level folder, the longest file of source, and the words of all documents. */
export function measure(names) {
  const folders = {};
  let longestFile = { name: '', lines: 0 };
  let words = 0;
  for (const name of names) {
    if (name.endsWith('.md') && name !== GENERATED) words += read(name).split(/\s+/).length;
    const [folder] = name.split('/');
    if (!name.includes('/') || folder.startsWith('.')) continue;
    folders[folder] ??= { source: 0, tests: 0 };
    if (!CODE.test(name) || DATA.test(name)) continue;
    const lines = read(name).split('\n').length - 1;
    const isTest = TEST.test(name);
    folders[folder][isTest ? 'tests' : 'source'] += lines;
    if (!isTest && lines > longestFile.lines) longestFile = { name, lines };
  }
  return { folders, longestFile, words };
}

export function bounds() {
  return JSON.parse(readFileSync(BOUNDS_FILE, 'utf8'));
}

function read(name) {
  return readFileSync(join(ROOT, name), 'utf8');
}

/** The bounds, each at most the measured size. */
function lowered(allowed, { folders, words }) {
  const entries = Object.entries(folders).map(([name, { source, tests }]) => {
    const bound = allowed.folders[name] ?? { source: 0, tests: 0 };
    return [name, { source: Math.min(source, bound.source), tests: Math.min(tests, bound.tests) }];
  });
  return { ...allowed, folders: Object.fromEntries(entries), words: Math.min(words, allowed.words) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = measure(trackedFiles());
  if (process.argv.includes('--lower')) {
    writeFileSync(BOUNDS_FILE, `${JSON.stringify(lowered(bounds(), measured), null, 2)}\n`);
  }
  const allowed = bounds();
  const sum = (of, key) => Object.values(of).reduce((total, folder) => total + folder[key], 0);
  const line = ({ source, tests }, bound) => ({ source, 'at most': bound?.source, tests, 'at most ': bound?.tests });
  const all = (of) => ({ source: sum(of, 'source'), tests: sum(of, 'tests') });
  console.table({
    ...Object.fromEntries(
      Object.entries(measured.folders).map(([name, of]) => [name, line(of, allowed.folders[name])]),
    ),
    'in all': line(all(measured.folders), all(allowed.folders)),
  });
  console.log(`words of documents: ${measured.words} of ${allowed.words}`);
  console.log(
    `longest file: ${measured.longestFile.name}, ${measured.longestFile.lines} of ${allowed.longestFile} lines`,
  );
}
