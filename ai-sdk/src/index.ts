/** The public API of atelier-ai-sdk. */

export { CallbackError } from 'atelier-client';
// For the route that receives a webhook.
export { verify } from 'atelier-client/callbacks';
export { type AtelierProvider, createAtelier } from './create-atelier.ts';
