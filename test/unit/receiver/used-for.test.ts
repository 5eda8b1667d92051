import { differences, type UsedFor } from '../../../webhook-receiver/src/core/used-for.ts';

const used: UsedFor = {
	service: 'https://service.example',
	accounts: ['credential', 'token'],
	sender: null,
	type: 'LS',
	recipients: 'digest',
	to: 'a@x.example',
};

it.each<[string, Partial<UsedFor>, string[]]>([
	['the same', {}, []],
	['the same, told with other words', { to: 'A@x.example' }, []],
	['a renewed token', { accounts: ['credential', 'new'] }, []],
	['another credential with the token', { accounts: ['other', 'token'] }, []],
	['another account', { accounts: ['other', 'new'] }, ['account']],
	['another service', { service: 'https://sandbox.example' }, ['service address']],
	['a customer', { sender: 'c' }, ['sender']],
	['another type', { type: 'LRE' }, ['type']],
	['other people', { recipients: 'other' }, ['recipients']],
	['two things', { sender: 'c', recipients: 'other' }, ['sender', 'recipients']],
])('%s', (_, change, expected) => {
	expect(differences(used, { ...used, ...change })).toEqual(expected);
	expect(differences({ ...used, ...change }, used)).toEqual(expected);
});
