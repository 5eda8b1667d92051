// Property tests draw the same examples each time, so that a mutant lives or dies for its own sake, and
// stop at the first that fails: which one is the smallest does not matter here.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_131, endOnFailure: true });
