import {
	type Asked,
	type FieldContext,
	readEvents,
	readFilter,
	readOptions,
} from '../shared/events/asked';

/** Which events the workflow is to start for. @throws NodeOperationError when a field is wrong */
export function readAsked(context: FieldContext): Asked {
	return { events: readEvents(context), filter: readFilter(readOptions(context)) };
}
