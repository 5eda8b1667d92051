// Letters through a sandbox in a container, whose events it posts to the receiver beside it.
import type { ServiceClient } from '../../sandbox/src/client/service-client.ts';

/** The letters that one run has sent. */
export class Letters {
	/** Sent, received, opened. */
	static readonly EVENTS_EACH = 3;
	readonly ids: string[] = [];
	private readonly ask: ServiceClient;

	constructor(ask: ServiceClient) {
		this.ask = ask;
	}

	/** Sends one that its recipient opens at once. @throws Error with what the sandbox answered */
	async send(): Promise<void> {
		const person = { email: 'open@mail.example', firstname: 'Ada', lastname: 'Lovelace' };
		const letter = { type: 'AES' as const, body: '<p>Hello</p>', recipients: [person] };
		const { messages } = await this.ask('POST /messages/bulk_send', letter);
		this.ids.push(...messages.map(({ id }) => id));
	}
}
