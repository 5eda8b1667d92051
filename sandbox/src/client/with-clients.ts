import { sandboxClient } from './client.ts';
import { serviceClient, type Service } from './service-client.ts';

/** A sandbox that runs elsewhere, a thread or a container, with what asks it. */
export const withClients = <Started extends Service & { pageUrl: string }>(started: Started) => ({
	...started,
	control: sandboxClient(started.pageUrl),
	as: (account: string) => serviceClient(started, account),
});
