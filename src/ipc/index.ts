/** The only door to the backend. Nothing outside this folder imports Tauri. */
export type * from "./bindings";
export { commands } from "./bindings";
export { type CommandFault, isCommandError, toFault } from "./fault";
export { pickFolder, pickScript } from "./dialog";
export * as queries from "./queries";
export { listenForTopics, topicPredicate } from "./topics";
export { followTranscript } from "./transcript";
