/** Small words stay small, but for the first. */
const SMALL = 'an?|and|as|at|by|for|from|in|is|its|of|on|or|per|the|to|with';

/** Every word has a capital, a digit or a bracket first, such as "Max Recipients per Request". */
export const TITLE_CASE = new RegExp(`^[A-Z0-9][^ ]*( (?:(?:${SMALL})|n8n|[A-Z0-9(/$][^ ]*))*$`);
