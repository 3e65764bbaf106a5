/**
 * Suggestions: contents that somebody proposes for cells, and the mode in which edits become
 * suggestions. The panel and the card of a cell are loaded on demand.
 */

export { sendSuggestion } from "./send-suggestion.ts";
export { SuggestionBar } from "./SuggestionBar.tsx";
export { SuggestionMode } from "./suggestion-mode.ts";
export { type Suggestion, proposedText, suggestionMarks, suggestionsAt, suggestionsOf } from "./suggestions.ts";
