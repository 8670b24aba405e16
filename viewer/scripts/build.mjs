// build.mjs FOLDER: builds the page and writes its packed files into FOLDER. The result is kept in build/viewer, so that
// several build folders share one run of vite.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { build } from 'vite';

const started = process.cwd();
const viewer = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(dirname(viewer), 'build', 'viewer');

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file.slice(viewer.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

// The same bytes as base::pack_text(): the size in groups of seven bits, a zlib stream, and all of it in base 64.
function pack(text) {
  const bytes = Buffer.from(text);
  const size = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) size.push((rest & 0x7f) | 0x80);
  size.push(rest);
  return Buffer.concat([Buffer.from(size), deflateSync(bytes, { level: 9 })]).toString('base64');
}

// "</script" and "<!--" end or change a script element wherever they occur.
function inScript(script) {
  return script.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
}

function reportPage(script, style) {
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const code = inScript(script);
  const policy = [
    "default-src 'none'",
    `script-src ${hash(code)}`,
    `style-src ${hash(style)}`,
    'worker-src blob:',
    'img-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>thence report</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="text/plain" id="thence-data">@@DATA@@</script>
<script>${code}</script>
</body>
</html>
`;
}

async function buildInto(folder) {
  const work = mkdtempSync(join(cache, 'work-'));
  await build({ root: viewer, logLevel: 'warn', build: { outDir: work, emptyOutDir: true } });
  const script = readFileSync(join(work, 'app.js'), 'utf8');
  const style = readFileSync(join(work, 'app.css'), 'utf8');
  rmSync(work, { recursive: true });
  const made = mkdtempSync(join(cache, 'made-'));
  const files = {
    'index.html': readFileSync(join(viewer, 'index.html'), 'utf8'),
    'app.js': script,
    'app.css': style,
    'report.html': reportPage(script, style),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, `${name}.packed`), pack(text));
  if (existsSync(folder)) rmSync(made, { recursive: true });
  else renameSync(made, folder);
}

const inputs = [
  ...sources(join(viewer, 'src')),
  ...['index.html', 'package-lock.json', 'svelte.config.js', 'vite.config.ts', 'scripts/build.mjs'].map((name) => join(viewer, name)),
];
process.chdir(viewer); // vite finds the entry and the configuration of Svelte from here
const target = resolve(started, process.argv[2]);
mkdirSync(cache, { recursive: true });
const kept = join(cache, hashOf(inputs));
if (!existsSync(kept)) await buildInto(kept);
cpSync(kept, target, { recursive: true });
