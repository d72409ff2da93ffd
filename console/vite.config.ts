/** Builds the console into `dist/console/`: static files that work below any path, because all their links are relative. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Where `npm run dev` finds the API of a running `npm start`. */
const API = 'http://127.0.0.1:8787';

export default defineConfig(({ command }) => ({
  root: here,
  base: command === 'serve' ? '/console/' : './',
  plugins: [react()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: URLs, which the Content-Security-Policy of the console forbids for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '^/(?!console/)': { target: API, changeOrigin: true } } },
}));
