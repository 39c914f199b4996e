// Builds the console where its sources are newer than what was built of them; npm start and the tests do it too.
import { buildConsole } from './console.js';

buildConsole();
