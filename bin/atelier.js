#!/usr/bin/env node
// Plain JavaScript that any Node understands: it may be run by one that is too old for the rest.
import module from 'node:module';

// What is written holds secrets, jobs and files of users: nobody but this account reads it.
process.umask(0o077);

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(`Atelier needs Node 24 or newer, and this is Node ${process.versions.node}.`);
  process.exit(1);
}
// What was parsed and stripped of types once is not parsed again at the next start.
module.enableCompileCache();
const { run } = await import('../src/cli/cli.ts');
await run(process.argv.slice(2));
// A server is running now: it may be killed, and would write at its end what the next start is spared.
module.flushCompileCache();
