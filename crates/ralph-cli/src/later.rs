//! Arguments that are defined only when their subcommand is used: defining those of all takes half as long as the start of `ralph`.

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// The arguments, or the subcommands, of a subcommand.
#[derive(Debug)]
pub struct Later<T>(pub T);

/// Defines arguments without their type's own description: the subcommand's line is the one to show.
fn about_kept(command: Command, define: impl FnOnce(Command) -> Command) -> Command {
    let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
    define(command).about(Resettable::from(about)).long_about(Resettable::from(long))
}

impl<T: Args> Args for Later<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| about_kept(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| about_kept(command, T::augment_args_for_update))
    }
}

impl<T: Subcommand> Subcommand for Later<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(|command| about_kept(command, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command.defer(|command| about_kept(command, T::augment_subcommands_for_update))
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn a_subcommand_says_of_itself_what_the_list_of_all_says() {
        let listed = Cli::command();
        let mut built = Cli::command();
        built.build();
        for command in listed.get_subcommands() {
            let built = built.find_subcommand(command.get_name()).map(|built| built.get_about().map(ToString::to_string));
            assert_eq!(built, Some(command.get_about().map(ToString::to_string)), "{}", command.get_name());
        }
        Cli::command().debug_assert();
    }
}
