import { readSelection } from '../../../nodes/shared/events/eventSettings.ts';

const contextOf = (options: object, raw: object = options) =>
	({
		getNode: () => ({ name: 'Trigger', type: 'x', parameters: {} }),
		getNodeParameter: (name: string, _: unknown, settings?: object) =>
			name === 'events' ? ['*'] : settings === undefined ? options : raw,
	}) as never;

it('a filter is what an expression gives, and narrows the events', () => {
	const context = contextOf({ fileReference: 'F {{ 1 }}' }, { fileReference: '={{ $vars.file }}' });
	expect(readSelection(context)).toEqual({ events: ['*'], filter: { fileReference: 'F {{ 1 }}' } });
});

it.each<[string, object, RegExp]>([
	[
		'braces that n8n did not evaluate',
		{ fileReference: '{{ $vars.file }}' },
		/^File Reference: It/,
	],
	['a list of what is no text', { statuses: [null] }, /^Message Statuses: It is a list, \[null\]/],
	['nothing chosen', { messageTypes: [] }, /^Message Types: Nothing is chosen/],
])('a filter that would let nothing through prevents publishing: %s', (_, options, message) => {
	expect(() => readSelection(contextOf(options))).toThrow(message);
});
