/** The only door to the backend. Nothing outside this folder imports Tauri. */
export type * from "./bindings";
export { commands } from "./bindings";
export { pickFolder, pickScript, pickTarget } from "./dialog";
export { type CommandFault, isCommandError, toFault } from "./fault";
export * as queries from "./queries";
export { listenForTopics, topicPredicate } from "./topics";
export { followTranscript } from "./transcript";
