/** A whole picture in the style all of them share, for light and dark pages. */
export function svg(
	{ width, height, label }: { width: number; height: number; label: string },
	body: string,
): string {
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(label)}">
<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #444c56 }
.title { font-weight: 600; font-size: 14px; fill: #1f2328 }
.value { font-variant-numeric: tabular-nums }
.ratio { font-weight: 700; font-size: 24px; fill: #1a7f5a }
.small { font-size: 11px }
.ours, .dot0 { fill: #1a9c6b } .theirs { fill: #b6bec9 }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.line0 { stroke: #1a9c6b } .line1 { stroke: #3d6fd9 } .line2 { stroke: #c2701c }
.dot1 { fill: #3d6fd9 } .dot2 { fill: #c2701c }
.grid { stroke: #d8dee4; stroke-width: 1 }
@media (prefers-color-scheme: dark) {
text { fill: #9da7b3 }
.title { fill: #e6edf3 }
.ratio { fill: #4cc38a }
.ours, .dot0 { fill: #3fb984 } .theirs { fill: #5c6672 }
.line0 { stroke: #3fb984 } .line1 { stroke: #7ea6ff } .line2 { stroke: #e6a35c }
.dot1 { fill: #7ea6ff } .dot2 { fill: #e6a35c }
.grid { stroke: #30363d }
}
</style>
${body}
</svg>
`;
}

export function escape(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
