/** How Vite builds the console into `console/dist`, which the gateway serves as static files. */
import { defineConfig } from 'vite';

export default defineConfig({
  // Relative addresses: the gateway tells the page its base when it sends it.
  base: './',
  // Libraries mark their files for servers; the warnings about it say nothing of ours.
  logLevel: 'error',
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
