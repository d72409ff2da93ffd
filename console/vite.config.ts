/** Builds the console into `dist/console/`: static files that work below any path, because all their links are relative. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

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
      file = this.getFileName(this.emitFile({ type: 'asset', name: 'first-paint.js', source: read(FIRST_PAINT) }));
    },
    transformIndexHtml: (html) => html.replace('<head>', `<head>\n    <script src="./${file}"></script>`),
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
    transformIndexHtml: (html) =>
      manifest === '' ? html : html.replace('</head>', `  <link rel="manifest" href="./${manifest}" />\n  </head>`),
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => name.startsWith('assets/') && KEPT.test(name));
      const version = createHash('sha256').update(files.sort().join()).digest('base64url').slice(0, 12);
      const source = read('offline/service-worker.js').replace("'__BUILD__'", JSON.stringify({ version, files }));
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}

export default defineConfig(({ command }) => ({
  root: here,
  base: command === 'serve' ? '/console/' : './',
  plugins: [react(), tailwindcss(), firstPaint(), installable()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: URLs, which the Content-Security-Policy of the console forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // For the packages of the server; nothing serves it.
    license: { fileName: '.vite/licences.json' },
  },
  server: { proxy: { '^/(?!console/)': { target: API, changeOrigin: true } } },
}));
