// Builds the client and the provider of the AI SDK where they changed; npm start and the tests do it too.
import { buildAiSdk } from './ai-sdk.js';
import { buildClient } from './client.js';

buildClient();
buildAiSdk();
