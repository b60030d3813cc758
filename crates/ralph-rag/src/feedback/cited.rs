//! Whether an agent that names a learning has chosen it. An agent that names one to say that it is wrong, or was not followed, has not.

use crate::words::{Words, is_listed, is_negator, sentences};

/// Words that turn something down, besides negators.
const REJECTING: &str = "wrong incorrect false untrue mistaken misleading outdated obsolete stale superseded useless unhelpful irrelevant \
    inapplicable ignore ignored ignores ignoring disregard disregarded disregarding skip skipped skipping reject rejected contradict \
    contradicts contradicted contrary despite unlike instead without unused \
    falsch veraltet überholt nicht kein keine ignoriert \
    faux fausse obsolète pas ignoré \
    falso falsa incorrecto incorrecta obsoleto obsoleta ignorado ignoré";

/// Whether a text names a learning by its id, and says in at least one of the sentences that do nothing against it. What the learning says
/// itself may be repeated there: "as ID says, never mock the clock".
pub fn cites(text: &str, id: &str, learning: &str) -> bool {
    if !text.contains(id) {
        return false;
    }
    let own: Vec<String> = Words::of(learning).tokens().iter().map(|token| token.lower.clone()).collect();
    let against = |sentence: &str| {
        let words = Words::of(sentence);
        let rejects = |word: &str| is_negator(word) || is_listed(REJECTING, word);
        words.tokens().iter().any(|token| rejects(&token.lower) && !own.contains(&token.lower))
    };
    let mut lead = "";
    for line in text.lines().map(str::trim) {
        let is_item = line.starts_with(['-', '*', '+', '•']);
        if sentences(line).any(|sentence| sentence.contains(id) && !against(sentence)) && !(is_item && against(lead)) {
            return true;
        }
        // An item belongs to the line that introduces its list.
        if !is_item && !line.is_empty() {
            lead = if line.ends_with(':') { line } else { "" };
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_names_a_learning_to_turn_it_down_has_not_chosen_it() {
        let learning = "Never pin `pandas` in notebooks, since papermill brings its own";
        for (said, expected) in [
            ("As ID says, papermill brings its own.", true),
            ("I followed ID.", true),
            ("As ID says: never pin pandas here.", true),
            ("The tests did not pass at first. Then I did what ID says, and they do.", true),
            ("Used: ID\nNot used: OTHER", true),
            ("ID is wrong: pandas 3 needs it.", false),
            ("I ignored ID because it is of the old kernel", false),
            ("I didn't follow ID.", false),
            ("Learning ID does not apply to papermill 2.6; I went on.", false),
            ("I used the lock file instead of what ID says", false),
            ("Not followed:\n- ID\n- OTHER", false),
            ("Followed:\n- ID\n", true),
            ("Ich habe ID ignoriert.", false),
            ("ID est obsolète", false),
            ("ID is wrong in one point. Otherwise I did what ID says.", true),
            ("Nothing is named here.", false),
        ] {
            assert_eq!(cites(said, "ID", learning), expected, "{said}");
        }
    }
}
