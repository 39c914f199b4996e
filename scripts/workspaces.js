// Plain JavaScript for any Node: the workspaces that are served as what is built of them.

/** Members: see `buildWorkspaces`. */
export const consolePage = {
  name: 'atelier-console',
  folder: 'console',
  sources: ['index.html', 'package.json', 'vite.config.js', 'src', 'public'],
  command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel=error'],
  otherwise: 'Everything else works; /console says what to do.',
};

export const client = {
  name: 'atelier-client',
  folder: 'client',
  sources: ['package.json', 'tsconfig.json', 'src'],
  command: ['node_modules/typescript/bin/tsc', '-p', '.'],
  isEmptiedFirst: true,
  otherwise: 'Everything else works; /client.tgz says what to do.',
};

/** After the client, whose types it needs. */
export const aiSdk = {
  name: 'atelier-ai-sdk',
  folder: 'ai-sdk',
  beside: ['client'],
  sources: ['package.json', 'tsconfig.json', 'src'],
  command: ['node_modules/typescript/bin/tsc', '-p', '.'],
  isEmptiedFirst: true,
  otherwise: 'Everything else works; /ai-sdk.tgz says what to do.',
};
