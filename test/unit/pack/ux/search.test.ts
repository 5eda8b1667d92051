// What people type into the search of n8n's node panel finds the node they look for: n8n searches names and the
// aliases of the codex.
import { readFileSync } from 'node:fs';

import { nodeDescriptions } from '../../../support/descriptions.ts';

const found = (words: string) =>
	nodeDescriptions()
		.filter(({ displayName, name }) => {
			const folder = `${name[0].toUpperCase()}${name.slice(1)}`;
			const codex = JSON.parse(readFileSync(`nodes/${folder}/${folder}.node.json`, 'utf8')) as {
				alias: string[];
			};
			return [displayName, ...codex.alias].some((text) => text.toLowerCase().includes(words));
		})
		.map(({ name }) => name);

const FOLLOWING = ['registeredDeliveryTrigger', 'awaitOutcome', 'getStatus'];

it.each<[string, string[]]>([
	...['letter accepted', 'letter refused', 'letter opened', 'bounced'].map(
		(words): [string, string[]] => [words, FOLLOWING],
	),
	...['letter expired', 'letter sent', 'letter cancelled', 'undelivered', 'alert'].map(
		(words): [string, string[]] => [words, ['registeredDeliveryTrigger']],
	),
	['webhook', ['registeredDeliveryDirectTrigger']],
	['consent accepted', ['registeredDeliveryTrigger', 'awaitConsent']],
	['ask for consent', ['requestConsent', 'awaitConsent']],
	['remind', ['requestConsent', 'awaitConsent']],
	...['send letter', 'resend', 'schedule', 'cancel letter', 'mail merge', 'tracked mail'].map(
		(words): [string, string[]] => [words, ['sendLetter']],
	),
	...['receipt', 'pdf', 'proof'].map((words): [string, string[]] => [words, ['downloadEvidence']]),
	['reseller', ['manageCustomer']],
	...[
		'registered letter',
		'lre',
		'lettre recommandée',
		'recommandé électronique',
		'e-registered mail',
		'proof of delivery',
	].map((words): [string, string[]] => [words, nodeDescriptions().map(({ name }) => name)]),
])('"%s" finds %j', (words, nodes) => {
	expect(found(words)).toEqual(expect.arrayContaining(nodes));
});
