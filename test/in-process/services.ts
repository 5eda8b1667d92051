// What stands in for the service in the tests of a file: started before them, empty at each, ended after them.
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { control, startStrictSandbox } from '../support/sandbox.ts';
import { startStubService, type StubService } from '../support/stub-service.ts';

export function useSandbox(give: (sandbox: Sandbox) => void): void {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startStrictSandbox();
		give(sandbox);
	});
	beforeEach(async () => {
		await control(sandbox, 'POST', '/reset');
	});
	afterAll(async () => await sandbox.close());
}

export function useStub(
	give: (stub: StubService) => void,
	begin: (stub: StubService) => void = (stub) => void (stub.requests = []),
): void {
	let stub: StubService;
	beforeAll(async () => {
		stub = await startStubService();
		give(stub);
	});
	beforeEach(() => begin(stub));
	afterAll(async () => await stub.close());
}
