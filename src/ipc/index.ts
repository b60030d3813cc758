/** The only way to the backend. Nothing outside this folder imports Tauri. */
export type * from "./bindings";
export {
  ACRONYM_CHARS,
  AWAY_MILLIS,
  CLAUDE_MODES,
  CRITICAL_PCT,
  commands,
  EVIDENCE_ITEMS,
  HIGH_PCT,
  LEARNING_TEXT_CHARS,
  NOT_LOOKED_AT,
  PROTECTING_HITS,
  SETTING_RANGES,
  SPLIT_CHILDREN,
  STOPS_FOR_A_PERSON,
  UNUSED_ACTIVE_DAYS,
  WORKERS,
} from "./bindings";
export { pickDocuments, pickFolder, pickScript, pickTarget } from "./dialog";
export { type Dragged, onFilesDragged } from "./drop";
export { type CommandFault, isCommandError, toFault } from "./fault";
export * as queries from "./queries";
export { listenForPlaces, listenForTopics, topicPredicate } from "./topics";
export { type Followed, followTranscript } from "./transcript";
export { zoomWindow } from "./zoom";
