// What stands for the service in the tests of a file, started before them, and as new before each.
import type { SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { useSandbox, type TestSandbox } from '../../sandbox/src/testing/jest.ts';
import { takeAll } from '../support/letters.ts';
import { startStubService, type StubService } from '../support/stub-service.ts';

/** Refuses members that the interface does not know; letters stay as they were sent. */
export const useStrictSandbox = (options: Partial<SandboxOptions> = {}): TestSandbox =>
	useSandbox({ automatic: false, strict: true, ...options });

/** Answers what it is told. */
export function useStub(): StubService {
	let stub: StubService;
	beforeAll(async () => {
		stub = await startStubService();
	});
	afterAll(() => stub.close());
	beforeEach(() => takeAll(stub));
	return new Proxy({} as StubService, {
		get: (_, name) => Reflect.get(stub, name) as unknown,
		set: (_, name, value) => Reflect.set(stub, name, value),
	});
}
