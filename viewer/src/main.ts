import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import { EmbeddedSource, unpack, type ReportData } from './data/embedded';
import { ServerSource } from './data/server';
import type { DataSource } from './data/source';
import { escapeDirections } from './view/text';

async function findSource(): Promise<DataSource> {
  const embedded = document.getElementById('thence-data')?.textContent;
  if (!embedded) return new ServerSource();
  const data = JSON.parse(escapeDirections(await unpack(embedded))) as ReportData;
  return new EmbeddedSource(data, data.other, data.links);
}

const target = document.getElementById('app')!;
findSource().then(
  (source) => mount(App, { target, props: { source } }),
  (error: unknown) => {
    target.textContent = `The report cannot be read: ${String(error)}`;
  },
);
