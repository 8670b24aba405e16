// Builds one script and one style sheet. The layout worker is inside the script, because a report is one file.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: 'src/main.ts',
      output: { format: 'iife', entryFileNames: 'app.js', assetFileNames: 'app.[ext]' },
    },
  },
  worker: { format: 'iife' },
});
