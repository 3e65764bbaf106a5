/** Column statistics, and the repeated queries behind them. */

export { createPoll } from "./poll.ts";
