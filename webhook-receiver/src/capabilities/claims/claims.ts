import type { Capability } from '../../capability.ts';
import { CLAIMS_TABLE } from './claim-rows.ts';
import { claimsIn } from './claim-store.ts';
import { cleanClaims, eraseFromClaims, eraseNamesIn } from './forget-claims.ts';
import { BEGUN_INDEX } from './letter-records.ts';
import { claimRoutes } from './route.ts';

/** Who may send under which key, and how many letters in all. A letter's record begins with its claim. */
export const claims: Capability = {
	name: 'claims',
	steps: [CLAIMS_TABLE + BEGUN_INDEX],
	start(kernel) {
		const { database } = kernel;
		const store = claimsIn(kernel);
		return {
			routes: claimRoutes(kernel, store),
			roles: [
				['n8n', 'put', '/claims'],
				['n8n', 'put', '/claims/:key'],
			],
			clean: cleanClaims,
			async erase({ messageIds, keys }) {
				await eraseFromClaims(database, messageIds);
				await eraseNamesIn(database, keys);
			},
			async figures(now) {
				const [unknown, [limit]] = await Promise.all([store.unknown(now), store.reached(now)]);
				return {
					alerts: [
						...(unknown === 0 ? [] : [{ kind: 'claims-unknown', count: unknown, since: now }]),
						...(limit ? [{ kind: 'letters-limited', reason: limit.text, since: now }] : []),
					],
					gauges: [
						[
							'claims_unknown',
							'Send Once Keys whose letter may or may not have been sent',
							unknown,
						],
					],
				};
			},
		};
	},
};
