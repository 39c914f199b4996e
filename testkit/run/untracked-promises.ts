/**
 * Loaded before the tests of a batch: node's runner follows every promise to the test that made it, which costs a tenth
 * of a run and is needed only where a test is declared, or an error escapes, in a later turn. Here no test is declared
 * there, and an escaped error fails the batch, without the name of its test.
 */
import hooks from 'node:async_hooks';

const { createHook } = hooks;
hooks.createHook = callbacks => createHook({ ...callbacks, trackPromises: false });
