// Letters through a sandbox in a container, whose events it posts to the receiver beside it.
import https from 'node:https';

/** The letters that one run has sent. */
export class Letters {
	/** Sent, received, opened. */
	static readonly EVENTS_EACH = 3;
	readonly ids: string[] = [];
	private readonly url: string;
	private readonly account: { token: string; ca: string };

	constructor(url: string, account: { token: string; ca: string }) {
		this.url = url;
		this.account = account;
	}

	/** Sends one that its recipient opens at once. @throws Error with what the sandbox answered */
	async send(): Promise<void> {
		const { token, ca } = this.account;
		const text = await new Promise<string>((resolve, reject) => {
			const request = https.request(`${this.url}/messages/bulk_send`, {
				method: 'POST',
				ca,
				agent: false,
				headers: { 'x-api-token': token, 'content-type': 'application/json' },
			});
			request.on('error', reject);
			request.on('response', (response) => {
				let body = '';
				response.setEncoding('utf8').on('data', (part: string) => (body += part));
				response.on('end', () => {
					if (response.statusCode === 201) resolve(body);
					else reject(new Error(`The sandbox answered ${response.statusCode}: ${body}`));
				});
			});
			const person = { email: 'open@mail.example', firstname: 'Ada', lastname: 'Lovelace' };
			request.end(JSON.stringify({ type: 'AES', body: '<p>Hello</p>', recipients: [person] }));
		});
		const { messages } = JSON.parse(text) as { messages: Array<{ id: string }> };
		this.ids.push(...messages.map(({ id }) => id));
	}
}
