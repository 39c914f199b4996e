/** Scopes beside that of the route: of calls that do more than one thing. */

import { hasScope, type Principal, refusalOfScope, type Scope } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';

/** Throws the 403 of the first scope that the key has not. */
export function requireScopes(principal: Principal, scopes: readonly Scope[]): void {
  const missing = scopes.find(scope => !hasScope(principal, scope));
  if (missing) throw refuse(refusalOfScope[missing]);
}
