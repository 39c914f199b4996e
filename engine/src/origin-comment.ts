/** Comment in every file, so that a reader can tell it from the work of a model. */
export const originComment = 'rendered locally (procedural, not an AI model)';
