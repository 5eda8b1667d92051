import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The execution as it is until somebody stops it: n8n ends all requests of one that is stopped, also those that
 * tell what has happened by then.
 */
export function uncancelled(context: IExecuteFunctions): IExecuteFunctions {
	const own = Object.create(context) as IExecuteFunctions;
	own.getExecutionCancelSignal = () => undefined;
	return own;
}
