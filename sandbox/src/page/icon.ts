/** The page's icon: an envelope under a seal. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">
<rect x="4" y="10" width="40" height="29" rx="5" fill="#2f4b7c"/>
<path d="M6 14l18 14 18-14" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="36" cy="34" r="9" fill="#c8553d" stroke="#fff" stroke-width="2"/>
<path d="M32 34l3 3 5-6" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
