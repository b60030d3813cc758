/** The window freezes this before any code has come (`freezePrototype`): code that assigns, say, `constructor` to an object throws there, so here too. */
Object.freeze(Object.prototype);
