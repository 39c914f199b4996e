// Builds the console where its sources are newer than what was built of them; npm start and the tests do it too.
import { buildWorkspaces } from './build-workspaces.js';
import { consolePage } from './workspaces.js';

await buildWorkspaces([consolePage]);
