// Generated requests: from nearly right to nonsense, over every endpoint and every way to encode.
import fc from 'fast-check';

export interface FuzzedRequest {
	method: string;
	path: string;
	as: string | null;
	certificate: boolean;
	contentType: string | null;
	body: Buffer | null;
}

/** Things that exist, for requests that get far. */
export interface Known {
	messages: string[];
	customers: string[];
	consents: string[];
}

const word = fc.oneof(
	{ weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
	fc.string({ unit: 'binary', maxLength: 8 }),
	fc.constantFrom('', ' ', 'null', '__proto__', 'constructor'),
	fc.constantFrom('\u0000', '../..', '💌', 'ﬀ', '\ud800'),
);
const anything = fc.oneof(
	{ weight: 2, arbitrary: word },
	fc.jsonValue({ maxDepth: 3 }),
	fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 0.1, [], {}, [[]], 'x'.repeat(20_000)),
);

/** A value that is right most of the time. */
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
	fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: anything });

const email = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom('ada@mail.example', 'open+1@mail.example') },
	fc.constantFrom('nobody', 'a@b', 'é@mail.example'),
);
const recipient = fc.record(
	{
		email: mostly(email),
		firstname: mostly(word),
		lastname: mostly(word),
		company: mostly(fc.constantFrom('Firm', 'ﬀ & Co', '株式会社')),
		identifier: mostly(fc.constantFrom('123456789', '0123.456.749')),
		identifierType: mostly(fc.constantFrom('SIREN', 'BCE')),
		companySiren: mostly(fc.constantFrom('123456789')),
	},
	{ requiredKeys: ['email', 'company'] },
);
const recipients = mostly(fc.array(mostly(recipient), { maxLength: 3 }));
const time = fc.oneof(
	fc
		.integer({ min: -1, max: 100 })
		.map((days) => new Date(Date.now() + days * 86_400_000).toISOString()),
	fc.constantFrom(
		'2030-01-01T10:00:00',
		'+275760-09-13T00:00:00.000Z',
		'0000-01-01T00:00:00Z',
		'9999-12-31T23:59:60Z',
	),
);

const bodies = ({ messages, customers }: Known) => ({
	send: fc.record(
		{
			type: mostly(fc.constantFrom('LRE', 'LS', 'AS', 'AES', 'MT')),
			body: mostly(
				fc.constantFrom('Hello', '<p>Hi</p>', '<script>', '<b', '&#xffffffff;', '<img src=x>'),
			),
			recipients,
			fileReference: mostly(word),
			customerReference: mostly(word),
			sender: mostly(fc.constantFrom('', ...customers)),
			includeSenderLogo: mostly(fc.boolean()),
			scheduledAt: mostly(time),
			attachments: anything,
		},
		{ requiredKeys: ['type', 'body', 'recipients'] },
	),
	ids: fc.record(
		{
			ids: mostly(fc.array(mostly(fc.constantFrom(...messages)), { maxLength: 3 })),
			scheduledAt: mostly(time),
		},
		{ requiredKeys: ['ids'] },
	),
	resend: fc.record({ recipients }, { requiredKeys: [] }),
	customers: fc.record({
		customers: mostly(
			fc.array(
				mostly(
					fc.record({
						name: mostly(word),
						email: mostly(email),
						isPaying: mostly(fc.boolean()),
						willSendLre: mostly(fc.boolean()),
					}),
				),
				{ maxLength: 3 },
			),
		),
	}),
	consents: fc.record(
		{
			type: mostly(fc.constantFrom('EMAIL', 'LINK', 'MANUAL')),
			delayInDays: mostly(fc.integer()),
			recipients,
			state: mostly(fc.constantFrom('PENDING', 'ACCEPTED')),
			sender: mostly(fc.constantFrom('', ...customers)),
		},
		{ requiredKeys: ['type', 'recipients'] },
	),
	none: fc.constant(null),
});

const ENDPOINTS: Array<[method: string, path: string, body: keyof ReturnType<typeof bodies>]> = [
	['POST', '/messages/bulk_send', 'send'],
	['POST', '/messages/bulk_reschedule', 'ids'],
	['POST', '/messages/bulk_cancel', 'ids'],
	['POST', '/messages/resend', 'ids'],
	['POST', '/messages/{message}/resend', 'resend'],
	['GET', '/messages/{message}', 'none'],
	['GET', '/messages/{message}/evidences/{status}', 'none'],
	['POST', '/customers/bulk_store', 'customers'],
	['GET', '/customers{query}', 'none'],
	['PUT', '/customers/{customer}/logo', 'none'],
	['DELETE', '/customers/{customer}/logo', 'none'],
	['POST', '/consents/bulkStore', 'consents'],
	['GET', '/consents{query}', 'none'],
	['POST', '/consents/{consent}/remind', 'none'],
	['GET', '/{word}/{word}', 'none'],
];

/** Text as part of a path: encoded, or as it is where a URL can carry it. */
const segment = fc.oneof(
	word.map((text) => encodeURIComponent(text.toWellFormed())),
	fc.constantFrom('%', '%E0%A4%A', '%00', '%2f', '..', '000000000000', 'a'.repeat(5000), "'", ';'),
);
const query = fc
	.array(
		fc.tuple(
			fc.constantFrom('page', 'perPage', 'state', 'sender', 'page[]', 'page[a]', '__proto__'),
			mostly(fc.constantFrom('1', '2', '0', '-1', '1e9', 'ACCEPTED', 'NaN')),
		),
		{ maxLength: 3 },
	)
	.map((pairs) => {
		const texts = pairs.map(([name, value]) => [name, String(value).toWellFormed()]);
		return texts.length > 0 ? `?${new URLSearchParams(texts)}` : '';
	});

function pathOf(template: string, known: Known): fc.Arbitrary<string> {
	const parts: Record<string, fc.Arbitrary<string>> = {
		'{message}': fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known.messages) }, segment),
		'{customer}': fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known.customers) }, segment),
		'{consent}': fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known.consents) }, segment),
		'{status}': fc.oneof(fc.constantFrom('SENT', 'RECEIVED', 'UNDELIVERED', 'sent'), segment),
		'{query}': query,
		'{word}': segment,
	};
	const pieces = template.split(/(\{\w+\})/).map((piece) => parts[piece] ?? fc.constant(piece));
	return fc.tuple(...pieces).map((texts) => texts.join(''));
}

type Encoded = Pick<FuzzedRequest, 'contentType' | 'body'>;

const asJson = (value: unknown): Encoded => ({
	contentType: 'application/json',
	body: Buffer.from(JSON.stringify(value) ?? ''),
});

const BOUNDARY = 'the-boundary';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** What an object says in JSON, as the fields of a form. */
function fieldsOf(value: unknown): Array<[string, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]): Array<[string, string]> => {
		if (!Array.isArray(inner))
			return [[name, typeof inner === 'object' ? JSON.stringify(inner) : String(inner)]];
		return inner.flatMap((entry, index): Array<[string, string]> => {
			if (typeof entry !== 'object' || entry === null)
				return [[`${name}[${index}]`, String(entry)]];
			return Object.entries(entry).map(([key, text]) => [`${name}[${index}].${key}`, String(text)]);
		});
	});
}

function multipart(fields: Array<[string, string]>, files: Array<[string, string]>): Encoded {
	const quoted = (text: string) => text.replaceAll(/["\r\n]/g, '_');
	const part = (head: string, content: string) =>
		`--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
	const text = [
		...fields.map(([name, value]) => part(`name="${quoted(name)}"`, value)),
		...files.map(([name, content]) => part(`name="${quoted(name)}"; filename="f.png"`, content)),
		`--${BOUNDARY}--\r\n`,
	].join('');
	return { contentType: MULTIPART, body: Buffer.from(text) };
}

function encoded(content: fc.Arbitrary<unknown>): fc.Arbitrary<Encoded> {
	const files = fc.array(
		fc.tuple(
			fc.constantFrom('attachments', 'attachments[0]', 'logo', 'customers[0].logo', 'x'),
			fc.constantFrom('', 'text', '\u0089PNG', 'x'.repeat(3000)),
		),
		{ maxLength: 2 },
	);
	const form = fc.tuple(
		content.map(fieldsOf),
		fc.array(fc.tuple(word, word), { maxLength: 2 }),
		files,
	);
	const whole = fc.oneof(
		{
			weight: 6,
			arbitrary: content.map((value) =>
				value === null ? { contentType: null, body: null } : asJson(value),
			),
		},
		{
			weight: 4,
			arbitrary: form.map(([fields, more, parts]) => multipart([...fields, ...more], parts)),
		},
		anything.map(asJson),
	);
	const cut = fc.tuple(whole, fc.nat(200)).map(([{ contentType, body }, length]) => ({
		contentType,
		body: body?.subarray(0, length) ?? null,
	}));
	const raw = fc
		.tuple(
			fc.constantFrom(
				'application/json',
				MULTIPART,
				'multipart/form-data',
				'text/plain',
				'application/json; charset=x',
				'application/x-www-form-urlencoded',
				'',
			),
			fc.uint8Array({ maxLength: 300 }),
		)
		.map(([contentType, bytes]) => ({
			contentType: contentType || null,
			body: Buffer.from(bytes),
		}));
	return fc.oneof({ weight: 8, arbitrary: whole }, cut, raw);
}

export function requests(known: Known): fc.Arbitrary<FuzzedRequest> {
	const content = bodies(known);
	return fc.constantFrom(...ENDPOINTS).chain(([method, template, body]) =>
		fc
			.record({
				method: fc.oneof(
					{ weight: 30, arbitrary: fc.constant(method) },
					fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
				),
				path: pathOf(template, known),
				as: fc.constantFrom('direct', 'direct', 'reseller', 'reseller', 'reseller', null),
				certificate: fc.boolean(),
				encoded: encoded(content[body] as fc.Arbitrary<unknown>),
			})
			.map(({ encoded: sent, ...rest }) => ({ ...rest, ...sent })),
	);
}
