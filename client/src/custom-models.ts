/** The models that an operator adds to a gateway: `atelier client types` writes them into this interface. */

/** What each of them takes and gives, by id: `{ input, output }`. Empty until a file of types is added to a project. */
// biome-ignore lint/suspicious/noEmptyInterface: it is merged with the interface in the written file.
export interface CustomModels {}
