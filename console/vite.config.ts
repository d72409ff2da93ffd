/** Builds the console into `dist/console/`: static files that work below any path, because all their links are relative. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const FIRST_PAINT = 'shell/first-paint.js';

/** Where `npm run dev` finds the API of a running `npm start`. */
const API = 'http://127.0.0.1:8787';

/** `shell/first-paint.js` stands at the head of the page as it is, and not in a module. */
function firstPaint(): Plugin {
  let file = FIRST_PAINT;
  return {
    name: 'first-paint',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      const source = readFileSync(new URL(FIRST_PAINT, import.meta.url), 'utf8');
      file = this.getFileName(this.emitFile({ type: 'asset', name: 'first-paint.js', source }));
    },
    transformIndexHtml: (html) => html.replace('<head>', `<head>\n    <script src="./${file}"></script>`),
  };
}

export default defineConfig(({ command }) => ({
  root: here,
  base: command === 'serve' ? '/console/' : './',
  plugins: [react(), firstPaint()],
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
