import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import config from './svelte.config.js';

export default ts.config(
  { ignores: ['node_modules/', 'dist/'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig: config } },
  },
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'svelte/no-at-html-tags': 'error', // all text of a model is rendered as text
    },
  },
);
