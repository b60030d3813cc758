//! Words with opposite meanings: tables of data, parsed once. General English first, then developers' terms.
//!
//! Some pairs leave nothing in between, so denying one says the other: "not known" is "unknown". Most don't.

use super::{Stemmed, stem};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Two sides with nothing in between, so that whatever is not on one is on the other: what is not enabled is disabled.
const COMPLEMENTS: &str = "
before prior earlier pre | after following later post
in into inside within indoors indoor | out outside outdoors outdoor outta
on onto | off
awake | asleep sleep
alive | dead
right correct valid | wrong incorrect invalid
true | false
yes | no
same identical equal | different other
with | without
if when | unless
remember | forget
accept approve | reject decline refuse
allow permit let grant | deny forbid prohibit block disallow refuse
enable activate | disable deactivate
include | exclude omit
require required mandatory must | optional may
keep preserve retain | drop discard delete remove
show shown display visible | hide hidden
present | missing absent
foreground | background
pass succeed success work | fail failure
safe | unsafe dangerous
public | private
mutable | immutable
sync synchronous | async asynchronous
static | dynamic
explicit explicitly | implicit implicitly
relative | absolute
local locally | remote remotely global globally
inclusive | exclusive
strict | lenient loose
lazy lazily | eager eagerly
blocking | nonblocking
serial sequential sequentially | parallel concurrent concurrently
manual manually | automatic automatically auto
temporary temporarily | permanent permanently
odd | even
internal internally | external externally
";

/// The two ends of a scale, or acts that undo each other: what is not open need not be closed, and who must not open it is not told to
/// close it.
const OPPOSITES: &str = "
up upward upwards uphill upstairs rise raise lift climb | down downward downwards downhill downstairs fall lower drop descend
above over atop | below under beneath underneath
top upper | bottom lower
front ahead forward forwards | back behind backward backwards
near close nearby next beside toward towards | far away distant
left | right
leading | trailing
north | south
east | west
big large huge giant great enormous | small little tiny mini miniature
long | short
tall high | short low
wide broad | narrow
thick | thin slim
heavy | light lightweight
deep | shallow
wet moist soaked damp | dry
hot warm | cold cool chilly
full | empty
hard | soft easy
difficult | easy simple
rough | smooth
sharp | blunt dull
clean | dirty muddy messy
old older oldest | new newer newest young younger youngest
ancient | modern
fast faster quick quickly rapid rapidly swiftly | slow slower slowly
early | late
loud loudly noisy | quiet quietly silent silently
bright light | dark dim
black dark | white light
happy happily glad cheerful | sad sadly unhappy
calm | angry excited
strong strongly | weak weakly
rich | poor
good better best well | bad worse worst badly poorly
all every each everything everyone always | none some few sometimes
always | sometimes occasionally rarely seldom
often frequently usually | rarely seldom
many much more | few little less fewer
most | least
maximum max maximal most | minimum min minimal least
increase grow raise gain | decrease shrink lower lose reduce
first | last
begin start launch | end stop finish quit halt
open | close shut closed
enter arrive come | exit leave go depart
push | pull
give send sell throw | take receive buy catch
put insert place add apply attach install mount | remove delete drop take detach uninstall unmount strip
build create make assemble construct | destroy break dismantle demolish
sit sitting seated | stand standing
walk run move | stand still rest
lie lying | stand standing
win | lose
love like | hate dislike
friend | enemy
hit | miss
laugh smile | cry frown
join merge combine | split separate divide
connect | disconnect
lock | unlock
ascending asc | descending desc
positive | negative
commit | rollback revert
encrypt | decrypt
compress | decompress
upload | download
upgrade | downgrade
import | export
positive plus | minus
lowercase | uppercase
horizontal horizontally | vertical vertically
inbound incoming | outbound outgoing
per | across
alone | together
empty | crowded
plug | unplug
day | night
am | pm
< <= ≤ | > >= ≥
== === | != !== ≠
";

/// Pairs that are different subjects rather than contradictory: what is true of one says nothing about the other.
const COUNTERPARTS: &str = "
client frontend browser | server backend
read reader reading | write writer writing
input | output
parent | child
caller | callee
sender producer publisher | receiver consumer subscriber
source src | target destination
request | response
staging development dev | production prod
debug | release
left | right
row | column
key | value
master main | slave
host | guest container
unit | integration
get | post put
man boy he father husband brother son | woman girl she mother wife sister daughter
";

/// Prefixes that negate a word.
const PREFIXES: [&str; 9] = ["un", "in", "im", "ir", "il", "dis", "non", "de", "mis"];
/// Those that, denied, mean the same as the other word.
const DENYING: [&str; 6] = ["un", "in", "im", "ir", "il", "non"];
/// What can be undone: whoever must not lock something is not told to unlock it.
const UNDONE: &str = "archive bind block check comment cover do dock escape fold follow freeze hook install link load lock mask mount mute pack     pin plug publish quote register seal select set share stage subscribe tie wind wrap zip";
/// Prefixes with opposite meanings before the same word.
const SWAPPED: [(&str, &str); 12] = [
    ("up", "down"),
    ("over", "under"),
    ("pre", "post"),
    ("en", "de"),
    ("im", "ex"),
    ("in", "ex"),
    ("in", "out"),
    ("max", "min"),
    ("sub", "super"),
    ("inter", "intra"),
    ("multi", "single"),
    ("for", "back"),
];
/// Endings with opposite meanings after the same word.
const ENDINGS: (&str, &str) = ("ful", "less");
/// Minimum letters of the word that a prefix or an ending is attached to: shorter matches are coincidence.
const ROOT_CHARS: usize = 3;

/// For each stem its rows, and on which side.
type Sides = HashMap<String, Vec<(usize, bool)>>;

static COMPLEMENT_SIDES: LazyLock<Sides> = LazyLock::new(|| sides(COMPLEMENTS));
static OPPOSITE_SIDES: LazyLock<Sides> = LazyLock::new(|| sides(OPPOSITES));
static COUNTERPART_SIDES: LazyLock<Sides> = LazyLock::new(|| sides(COUNTERPARTS));

static UNDONE_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| UNDONE.split_whitespace().map(stem).collect());

fn sides(table: &str) -> Sides {
    let mut sides = Sides::new();
    for (row, line) in table.lines().enumerate() {
        let (first, second) = line.split_once('|').unwrap_or_default();
        for (words, second) in [(first, false), (second, true)] {
            for word in words.split_whitespace() {
                let places = sides.entry(stem(word)).or_default();
                if !places.contains(&(row, second)) {
                    places.push((row, second));
                }
            }
        }
    }
    sides
}

fn across(table: &Sides, a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (table.get(a), table.get(b)) else { return false };
    a.iter().any(|(row, side)| b.contains(&(*row, !side)))
}

/// Whether two stems are opposites.
pub(super) fn opposite(a: &str, b: &str) -> bool {
    across(&COMPLEMENT_SIDES, a, b) || across(&OPPOSITE_SIDES, a, b) || by_prefix(a, b) || by_prefix(b, a)
}

/// Whether two opposites leave nothing in between, so that denying one says the other.
pub(super) fn exhaust(a: &Stemmed<'_>, b: &Stemmed<'_>) -> bool {
    let denies = |a: &str, b: &str| {
        let denied = |prefix: &str| b.strip_prefix(prefix).is_some_and(|rest| rest == a) && !(prefix == "un" && UNDONE_STEMS.contains(a));
        DENYING.iter().any(|prefix| denied(prefix))
    };
    let by_prefix = || denies(&a.stem, &b.stem) || denies(&b.stem, &a.stem);
    across(&COMPLEMENT_SIDES, &a.stem, &b.stem) || by_prefix() || by_ending(&a.token.lower, &b.token.lower)
}

/// Whether two stems are different subjects of one kind.
pub(super) fn counterparts(a: &str, b: &str) -> bool {
    across(&COUNTERPART_SIDES, a, b)
}

fn by_prefix(a: &str, b: &str) -> bool {
    let root = |word: &str| word.chars().count() >= ROOT_CHARS;
    PREFIXES.iter().any(|p| b.strip_prefix(p).is_some_and(|rest| rest == a && root(rest)))
        || SWAPPED.iter().any(|(p, q)| a.strip_prefix(p).is_some_and(|rest| root(rest) && b.strip_prefix(q) == Some(rest)))
}

/// Whether two words (not stems, which lose the first ending) differ in an ending that makes them opposites.
pub(super) fn by_ending(a: &str, b: &str) -> bool {
    let (with, without) = ENDINGS;
    let turned = |a: &str, b: &str| {
        a.strip_suffix(with).is_some_and(|root| root.chars().count() >= ROOT_CHARS && b.strip_suffix(without) == Some(root))
    };
    turned(a, b) || turned(b, a)
}

#[cfg(test)]
mod tests {
    use crate::guard::hits;
    use crate::relation::Relation;
    use crate::words::Words;

    #[test]
    fn what_must_not_be_done_is_not_what_undoes_it() {
        let relation = |a: &str, b: &str| {
            let (a, b) = (Words::of(a), Words::of(b));
            assert_eq!(a.relation(&b), b.relation(&a));
            a.relation(&b)
        };
        for (a, b) in [
            ("Close the socket in the retry loop", "Do not open the socket in the retry loop"),
            ("Stop the worker in the drain hook", "Do not start the worker in the drain hook"),
            ("Push the tags in the release job", "Do not pull the tags in the release job"),
            ("Import the fixtures in the setup", "Do not export the fixtures in the setup"),
            ("Unlock the table during the backfill", "Do not lock the table during the backfill"),
            ("Increase the pool size on a deploy", "Do not decrease the pool size on a deploy"),
            ("Decrypt the payload in the gateway", "Do not encrypt the payload in the gateway"),
            ("The job must finish within 10 minutes", "The job must not start within 10 minutes"),
        ] {
            assert_eq!(relation(a, b), Relation::Distinct, "{a} | {b}");
        }
        for (a, b) in [
            ("Disable the cache in tests", "Do not enable the cache in tests"),
            ("Handlers are stateless", "Handlers are not stateful"),
            ("The owner is unknown", "The owner is not known"),
        ] {
            assert_eq!(hits(&Words::of(a), &Words::of(b)), [], "{a} | {b}");
        }
    }
}
