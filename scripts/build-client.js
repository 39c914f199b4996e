// Builds the client and the provider of the AI SDK where they changed; npm start and the tests do it too.
import { buildWorkspaces } from './build-workspaces.js';
import { aiSdk, client } from './workspaces.js';

await buildWorkspaces([client, aiSdk]);
