import type { Contact, MessageType } from '../state/model.ts';

const TIME = new Intl.DateTimeFormat('en-GB', {
	dateStyle: 'medium',
	timeStyle: 'medium',
	timeZone: 'UTC',
});

export const readableTime = (moment: number): string => `${TIME.format(moment)} UTC`;

export function readableSize(bytes: number): string {
	if (bytes < 1000) return `${bytes} B`;
	if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
	return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const contactName = ({ company, firstname, lastname }: Contact): string =>
	company ?? `${firstname} ${lastname}`;

export const TYPE_NAMES: Record<MessageType, string> = {
	LRE: 'Registered letter',
	LS: 'Simple letter',
	AS: 'Simplified notice',
	AES: 'Tracked mail',
	MT: 'Tracked mail',
};
