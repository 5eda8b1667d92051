import type { Contact } from '../state/model.ts';

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
