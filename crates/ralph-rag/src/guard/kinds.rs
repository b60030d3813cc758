//! Words of one kind with different meanings: someone who plays tennis does not play soccer.
//!
//! Vectors put such words close together, since they occur in the same sentences. Each row is a kind, each of its cells the words for one
//! thing; general English first, then developers' terms. A word that can stand for others of its kind is left out.

use super::{Stemmed, View, frame, is_word, negation, opposites, stem};
use std::collections::HashMap;
use std::sync::LazyLock;

const KINDS: &str = "
soccer football | tennis | basketball | baseball | softball | golf | hockey | rugby | volleyball | cricket | badminton | polo \
    | bowling | wrestling | boxing | karate judo | chess | poker cards | lacrosse | billiards pool
run running jog jogging sprint | walk walking stroll | swim swimming | crawl crawling | jump jumping leap | fly flying | dance dancing \
    | sleep sleeping nap | sit sitting | kneel | stop stopping | skate skating | ski skiing | surf surfing | cycle cycling bike biking \
    | sing singing | wait waiting
cook cooking fry frying | bake baking | eat eating | drink drinking | wash washing clean cleaning | draw drawing paint painting sketch \
    | write writing | read reading | cut cutting slice slicing chop chopping | peel peeling | pour pouring | mix mixing stir stirring \
    | throw throwing | kick kicking | catch catching | ride riding | drive driving | sew sewing | knit knitting | wipe wiping \
    | fold folding | shoot shooting | play playing
guitar | piano keyboard | violin fiddle | flute | drum drums | trumpet | harp | cello | saxophone | harmonica | accordion | trombone \
    | clarinet
dog puppy | cat kitten | horse pony | cow bull | sheep lamb | goat | pig | bird | fish | monkey | lion | tiger | panda | bear \
    | elephant | rabbit hare bunny | mouse | rat | hamster | squirrel | frog | snake | lizard | turtle | duck | chicken hen rooster \
    | eagle | owl | parrot | kangaroo | zebra | giraffe | deer | wolf | fox | donkey | camel | shark | whale | dolphin
red | blue | green | yellow | orange | purple violet | pink | brown tan | black | white | gray grey | gold golden | silver
bread | rice | pasta spaghetti noodles | meat beef steak | pork bacon | shrimp prawn | egg | cheese | butter | potato | tomato \
    | carrot | onion | garlic | pepper | cucumber | broccoli | cabbage | mushroom | corn | tofu | soup | salad | pizza | cake \
    | cookie biscuit | apple | banana | lemon | lime | grape | strawberry | peach | pear | mango | pineapple | melon watermelon
water | milk | coffee | tea | beer | wine | juice | soda
car automobile | bus | truck lorry | train | plane airplane aircraft | boat | ship | bicycle bike | motorcycle motorbike | scooter \
    | skateboard | helicopter | tractor | sled | wagon cart
shirt | jacket coat | hat cap | dress | skirt | trousers pants jeans | shoe | boot | glove | scarf | sock | helmet | mask | tie | apron
knife | fork | spoon | scissors | hammer | saw | drill | axe | brush | pen | pencil | rope | gun rifle pistol | sword
bed | table | chair | couch sofa | desk | bench | shelf | floor | ceiling | wall | roof | window | door
beach | mountain | forest woods | river | lake | ocean sea | desert | street road | kitchen | bathroom | bedroom | garden yard | park \
    | pool | field | office | stadium | church | school | hospital
snow | sand | grass | mud | ice | rock
hand | foot | head | arm | leg | eye | ear | nose | mouth | hair
monday | tuesday | wednesday | thursday | friday | saturday | sunday
january | february | march | april | june | july | august | september | october | november | december
morning | noon | afternoon | evening | night
spring | summer | autumn | winter
second seconds | minute minutes | hour hours | daily day days | weekly week weeks | monthly month months | yearly year years
doctor | nurse | teacher | student | chef cook | soldier | farmer | singer | dancer | painter | driver | actor | lawyer | player
npm | yarn | pnpm | bun | cargo | pip | poetry | uv | gradle | maven
jest | vitest | mocha | pytest | playwright | cypress | selenium
eslint | biome | prettier | ruff | rustfmt | clippy
mysql mariadb | postgres postgresql | sqlite | mongodb mongo | redis | memcached | elasticsearch
python | ruby | javascript | typescript | java | rust | golang | kotlin | swift | php
react | vue | angular | svelte
linux | windows | macos mac | android | ios
docker | podman | kubernetes
aws | azure | gcp
github | gitlab | bitbucket
json | yaml | toml | xml | csv
http | https | ftp | ssh | grpc | websocket
stdin | stdout | stderr
create insert | update edit modify | delete | select
byte bytes | bit bits | character characters
debug | info | warn warning | error | trace
string | integer int | boolean bool | float | array list
authentication authn | authorization authz
main | master
kill | stop
fetch | pull
unique | different
id identifier | name
moment moments | second seconds | minute minutes | hour hours
signed sign | marked mark
utc | local
user | ip
";

static CELLS: LazyLock<HashMap<String, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut cells: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (row, line) in KINDS.lines().enumerate() {
        for (cell, words) in line.split('|').enumerate() {
            for word in words.split_whitespace() {
                let places = cells.entry(stem(word)).or_default();
                if !places.contains(&(row, cell)) {
                    places.push((row, cell));
                }
            }
        }
    }
    cells
});

/// Whether two stems are different things of one kind, and never the same thing.
pub(super) fn different(a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (CELLS.get(a), CELLS.get(b)) else { return false };
    let same_row = |apart: bool| a.iter().any(|(row, cell)| b.iter().any(|(r, c)| r == row && (c != cell) == apart));
    same_row(true) && !same_row(false)
}

/// Whether the first part of a compound and a word are different things or opposites: "read-only", "write". A word that the other text has
/// anywhere, or denies, does not set them apart.
pub(super) fn part_differs((compound, of): (&Stemmed<'_>, &View<'_>), (word, there): (&Stemmed<'_>, &View<'_>)) -> bool {
    let parts = compound.token.lower.split_once('-').filter(|(first, second)| [first, second].iter().all(|part| is_a_word(part)));
    let Some(first) = parts.map(|(first, _)| first).filter(|first| !frame::is_grammar(first)).map(stem) else { return false };
    let differ = || different(&first, &word.stem) || opposites::opposite(&first, &word.stem) || opposites::counterparts(&first, &word.stem);
    let turned = || [of, there].iter().any(|view| negation::denies(view) || negation::is_negative(view));
    is_word(word.token) && differ() && !there.stems.contains(&first) && !turned()
}

fn is_a_word(part: &str) -> bool {
    part.chars().all(char::is_alphabetic) && part.chars().count() > 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::hits;
    use crate::words::Words;

    #[test]
    fn a_compound_is_of_the_kind_of_its_first_part() {
        for (a, b, expected) in [
            ("CI has read-only access to the registry", "CI has write access to the registry", true),
            ("The bucket has public-read access", "The bucket has private access", true),
            ("The token is write-only for the queue", "The token can read the queue", true),
            ("The check is server-side", "The check is on the client", true),
            ("CI has read-only access to the registry", "CI can only read the registry", false),
            ("CI has read-only access to the registry", "CI can read the registry but has no write access", false),
            ("The replica is read-only", "The replica rejects writes", false),
            ("The replica is read-only", "The replica never accepts writes", false),
        ] {
            let (a, b) = (Words::of(a), Words::of(b));
            let named = |a: &Words, b: &Words| hits(a, b).iter().any(|hit| hit.older.contains('-') || hit.newer.contains('-'));
            assert_eq!((named(&a, &b), named(&b, &a)), (expected, expected), "{a:?} | {b:?}");
        }
    }

    #[test]
    fn things_of_one_kind_differ_and_names_of_one_thing_do_not() {
        for (a, b, expected) in [
            ("soccer", "tennis", true),
            ("soccer", "football", false),
            ("running", "stopping", true),
            ("running", "jogging", false),
            ("guitar", "tennis", false),
            ("guitar", "guitar", false),
            ("npm", "pnpm", true),
            ("authentication", "authorization", true),
            ("minute", "moment", true),
            ("word", "soccer", false),
        ] {
            assert_eq!(different(&stem(a), &stem(b)), expected, "{a} {b}");
            assert_eq!(different(&stem(b), &stem(a)), expected, "{b} {a}");
        }
    }
}
