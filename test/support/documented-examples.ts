// Requests and answers that a page shows, played as they stand there.

/**
 * A block of a page: method and path, the body, an empty line, status and answer. In an answer `…` stands for
 * what is left out: other members, other entries, or any value.
 */
export interface Example {
	method: string;
	path: string;
	/** Empty if there is none. */
	body: string;
	status: number;
	/** Empty if there is none. */
	answer: string;
}

export function examplesOf(page: string): Example[] {
	return [...page.matchAll(/^```http\n([^]*?)^```/gm)].map(([, block = '']) => {
		const [, method, path, body, status, answer] =
			/^([A-Z]+) (\S+)\n([^]*?)\n*(\d{3})\n([^]*)$/.exec(block) ?? [];
		if (status === undefined) throw new Error(`No example of a request: ${block}`);
		return { method, path, body, status: Number(status), answer } as unknown as Example;
	});
}

/** Whether an answer is as the page shows it. IDs that are made at random stand for those of this run. */
export class Shown {
	private readonly ids = new Map<string, string>();

	/** A path or body of the page, with the IDs of this run. */
	asHere(text: string): string {
		return [...this.ids].reduce((next, [shown, here]) => next.replaceAll(shown, here), text);
	}

	/** What differs, or null. JSON is compared by members, text by the lines that the page shows. */
	difference(answer: string, actual: string): string | null {
		if (/^[{[]|^null/.test(answer)) return this.differs(read(answer), JSON.parse(actual), '');
		const missing = answer.split('\n').find((line) => line !== '…' && !actual.includes(line));
		return missing === undefined ? null : `it has no ${missing}`;
	}

	private differs(shown: unknown, actual: unknown, at: string): string | null {
		if (shown === '…') return null;
		if (typeof shown === 'string' && typeof actual === 'string' && shown !== actual) {
			if (RANDOM.some((id) => id.test(shown) && id.test(actual)) && !this.ids.has(shown))
				this.ids.set(shown, actual);
			if (this.asHere(shown) === actual) return null;
		}
		if (!isObject(shown) || !isObject(actual) || Array.isArray(shown) !== Array.isArray(actual)) {
			const isSame = JSON.stringify(shown) === JSON.stringify(actual);
			return isSame ? null : `${at}: ${JSON.stringify(actual)}`;
		}
		const isPart = '…' in shown || Object.values(shown).includes('…');
		const isList = Array.isArray(shown);
		for (const name of Object.keys(isPart ? shown : { ...actual, ...shown })) {
			if (name === '…' || (isList && shown[name] === '…')) continue;
			const found =
				name in actual && name in shown
					? this.differs(shown[name], actual[name], `${at}/${name}`)
					: `${at}/${name}: ${JSON.stringify(actual[name])}`;
			if (found !== null) return found;
		}
		return null;
	}
}

/** What no two runs have alike. */
const RANDOM = [
	/^(evt|bat)_[0-9a-f-]{36}$/,
	/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
	/^\d{12}$/,
];

function read(answer: string): unknown {
	const json = answer
		.replace(/([{,]\s*)…(?=\s*\})/g, '$1"…": true')
		.replace(/([[,]\s*)…(?=\s*\])/g, '$1"…"');
	return JSON.parse(json);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}
