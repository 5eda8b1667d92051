import type { IDataObject } from 'n8n-workflow';

/** What was asked for, with the service's answer, whose shape is not shown, passed through. */
export function scheduleAnswer(asked: IDataObject, answer: unknown): IDataObject {
	const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
	if (isObject) return { ...asked, ...(answer as IDataObject) };
	const isEmpty = answer === undefined || answer === null || answer === '';
	return isEmpty ? asked : { ...asked, answer: answer as IDataObject };
}
