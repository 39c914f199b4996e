// Builds the client where its sources are newer than what was built of them; npm start and the tests do it too.
import { buildClient } from './client.js';

buildClient();
