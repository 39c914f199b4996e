/** Gate: `Atelier-Quote`, the signed quote of a dry run, under whose prices the job is held. */
import { refuse } from '../../domain/refusal.ts';
import { headerOf, type ParsedDraft, type QuotedDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 422 where the quote is forged, over, or of another input. */
export const readPresentedQuote: Gate<ParsedDraft, Pick<QuotedDraft, 'presentedQuote'>> = (
  { quoteSigner, clock },
  draft,
) => {
  const token = headerOf(draft.request, 'atelier-quote');
  if (token === undefined) return { ...draft, presentedQuote: null };
  const verdict = quoteSigner.read(token, { modelId: draft.model.id, input: draft.input }, clock.now());
  if (verdict.kind === 'valid') return { ...draft, presentedQuote: verdict.quote };
  throw refuse('input_invalid', {
    subject: `Atelier-Quote: ${reasons[verdict.kind]}`,
    fields: ['Atelier-Quote'],
  });
};

const reasons = {
  expired: 'has expired; validate the input again for a new quote',
  other_input: 'is for another model or input',
  invalid: 'is no quote of this gateway',
} as const;
