import type { INodeProperties } from 'n8n-workflow';

const DOCS =
	'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/blob/main/docs';

/**
 * What a user has to know before the fields, in two lines; the rest is in the docs.
 *
 * @param place in the docs, such as `nodes/send-letter.md#scheduling`
 */
export function notice(
	name: string,
	text: string,
	place: string,
	displayOptions?: INodeProperties['displayOptions'],
): INodeProperties {
	const displayName = `${text}. <a href="${DOCS}/${place}" target="_blank">See the docs.</a>`;
	return {
		displayName,
		name,
		type: 'notice',
		default: '',
		...(displayOptions && { displayOptions }),
	};
}
