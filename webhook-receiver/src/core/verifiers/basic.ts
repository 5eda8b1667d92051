import type { Verifier } from '../verify.ts';
import { headerText } from './read-headers.ts';
import { anyEqual } from './shared-secret.ts';

/** HTTP Basic; `users` are `user:password`, any of them is accepted. */
export function basicVerifier(users: readonly string[]): Verifier {
	return {
		scheme: 'basic',
		verify({ headers }) {
			const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headerText(headers, 'authorization'))?.[1];
			if (encoded === undefined) return 'no Basic credentials';
			const given = Buffer.from(encoded, 'base64').toString('utf8');
			return anyEqual(given, users) ? null : 'credentials do not match';
		},
	};
}
