/** Builds the console into `dist/console/`: static files that work below any path, because all their links are relative. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { FIRST, languageOf, languages, messages, RUNTIME } from './build/messages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const FIRST_PAINT = 'shell/first-paint.js';

/** Where `npm run dev` finds the API of a running `npm start`. */
const API = 'http://127.0.0.1:8787';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

/** `shell/first-paint.js` stands at the head of the page as it is, and not in a module. */
function firstPaint(): Plugin {
  let file = FIRST_PAINT;
  return {
    name: 'first-paint',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      const source = read(FIRST_PAINT).replace("['__LANGUAGES__']", JSON.stringify(languages));
      file = this.getFileName(this.emitFile({ type: 'asset', name: 'first-paint.js', source }));
    },
    transformIndexHtml: (html) => html.replace('<head>', `<head>\n    <script src="./${file}"></script>`),
  };
}

/** Not the page of a share, which starts with less. */
const isConsole = (page: string) => page.endsWith('/index.html');

/** The page names the files that it starts with in all languages, so that a browser loads them beside `start.ts`. */
function firstFiles(): Plugin {
  return {
    name: 'first-files',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {}, filename }) {
        if (!isConsole(filename)) return [];
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const first = chunks.find(({ moduleIds }) => moduleIds.includes(FIRST));
        const link = (rel: string, name: string) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, href: `./${name}` },
          injectTo: 'head' as const,
        });
        return first === undefined
          ? []
          : [
              link('modulepreload', first.fileName),
              ...[...(first.viteMetadata?.importedCss ?? [])].map((name) => link('stylesheet', name)),
            ];
      },
    },
  };
}

/** What the console keeps to open without its server. Of the fonts those of Latin letters; others stay the browser's. */
const KEPT = /\.(?:js|css|svg)$|-latin-wght-normal-[^/]*\.woff2$/;

/** The manifest, by which a browser installs the console like a program, and the service worker beside the page. */
function installable(): Plugin {
  let manifest = '';
  return {
    name: 'installable',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      const add = (name: string, source: string) => this.getFileName(this.emitFile({ type: 'asset', name, source }));
      const icon = (file: string, name: string, purpose: string) => ({
        ...{ src: `../${add(name, read(file))}`, sizes: 'any', type: 'image/svg+xml', purpose },
      });
      const source = {
        ...{
          name: 'LanReach',
          short_name: 'LanReach',

          start_url: '../',
          scope: '../',
          display: 'standalone',
        },
        ...{ background_color: '#fbfbfc', theme_color: '#3257e6' },
        icons: [icon('ui/icon.svg', 'icon.svg', 'any'), icon('offline/maskable.svg', 'maskable.svg', 'maskable')],
      };
      manifest = add('manifest.webmanifest', JSON.stringify(source));
    },
    transformIndexHtml: (html, { filename }) =>
      manifest === '' || !isConsole(filename)
        ? html
        : html.replace('</head>', `  <link rel="manifest" href="./${manifest}" />\n  </head>`),
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => name.startsWith('assets/') && KEPT.test(name));
      const version = createHash('sha256').update(files.sort().join()).digest('base64url').slice(0, 12);
      const languageOfFile = (name: string) => {
        const file = bundle[name];
        return file?.type === 'chunk' ? languageOf(file.moduleIds) : null;
      };
      const filesOf = (language: string | null) => files.filter((name) => languageOfFile(name) === language);
      const byLanguage = Object.fromEntries(languages.map((language) => [language, filesOf(language)]));
      const build = JSON.stringify({ version, files: filesOf(null), byLanguage });
      const source = read('offline/service-worker.js').replace("'__BUILD__'", build);
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}

/** Left out of zod, which needs them for JSON schemas only. */
const JSON_SCHEMA_NAMES = [
  ...['toJSONSchema', 'allProcessors', 'extractDefs', 'finalize', 'initializeContext', 'processSchema'],
  ...['createToJSONSchemaMethod', 'createStandardJSONSchemaMethod'],
];

function withoutJsonSchemas(): Plugin {
  const none = JSON_SCHEMA_NAMES.map((name) => `none as ${name}`).join(', ');
  return {
    name: 'without-json-schemas',
    load: (id) =>
      /zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/.test(id)
        ? `const none = () => none;\nexport { ${none} };`
        : null,
  };
}

export default defineConfig(({ command }) => ({
  root: here,
  base: command === 'serve' ? '/console/' : './',
  plugins: [messages(), withoutJsonSchemas(), react(), tailwindcss(), firstPaint(), firstFiles(), installable()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: URLs, which the Content-Security-Policy of the console forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // zod is built without its JSON schemas: what it imports for them is undefined, and nothing calls it.
      checks: { importIsUndefined: false },
      input: ['index.html', 'shared.html'].map((page) => `${here}${page}`),
      output: {
        chunkFileNames({ moduleIds }) {
          const language = languageOf(moduleIds);
          return `assets/[name]${language === null ? '' : `.${language}`}-[hash].js`;
        },
        codeSplitting: {
          groups: [
            // It is run before the messages, and they before the rest.
            { name: 'start', test: (id) => id === RUNTIME || id.startsWith('\0vite/'), priority: 1 },
            // In one file it is smaller than in the many that are made of what screens share with it.
            { name: 'first', test: (id) => id === FIRST },
          ],
        },
      },
    },
    // For the packages of the server; nothing serves it.
    license: { fileName: '.vite/licences.json' },
  },
  server: { proxy: { '^/(?!console/)': { target: API, changeOrigin: true } } },
}));
