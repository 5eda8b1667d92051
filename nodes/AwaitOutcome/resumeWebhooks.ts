import type { IWebhookDescription } from 'n8n-workflow';

/**
 * How n8n takes the resume of a sleeping execution: at the execution's own URL, with nothing after it.
 * POST only, so that a mail scanner or a preview that follows the URL resumes nothing. It answers when
 * the execution is awake, and with what the node says.
 */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// Left out, n8n answers the word firstEntryJson instead of what the node says.
		responseData: '',
		path: '',
		restartWebhook: true,
		isFullPath: true,
	},
];
