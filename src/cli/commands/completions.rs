//! Completion scripts for shells: those of `clap_complete`, extended by comma-separated lists and without hidden verbs.
//!
//! If an option takes a comma-separated list, the script's choice of one word is replaced by the call of a function
//! that completes the last word of the list.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command};
use clap_complete::Shell;

/// Options that take comma-separated words as one value, which their own parsers split.
const LISTS: [&str; 1] = ["rules"];

/// Bash function that completes the last word of a list. Words already in the list are not offered again.
const BASH_LIST: &str = r#"
_quadrille_list() {
    local named="" last="$1" word
    shift
    case "$last" in
        *,*) named="${last%,*}," last="${last##*,}" ;;
    esac
    for word in "$@"; do
        case ",$named" in
            *",$word,"*) continue ;;
        esac
        case "$word" in
            "$last"*) printf '%s\n' "$named$word" ;;
        esac
    done
}
"#;

const FISH_LIST: &str = r#"
function __fish_quadrille_list
    set -l token (commandline -ct | string replace -r '^--?[^=,]*=' '')
    set -l named (string match -r '.*,' -- $token)
    for word in $argv
        string match -q -- "*,$word,*" ",$named"; or printf '%s\n' "$named$word"
    end
end
"#;

/// Returns the script for a shell.
pub(super) fn script(definition: &Command, shell: Shell) -> String {
    let mut lists: Vec<Vec<String>> = Vec::new();
    let verbs = definition.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs = verbs.map(|verb| verb.clone().mut_args(|arg| as_list(arg, &mut lists)));
    let mut visible = Command::new("quadrille")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(definition.get_arguments())
        .subcommands(verbs);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut visible, "quadrille", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    lists.sort_unstable();
    lists.dedup();
    for words in &lists {
        if let Some((plain, list)) = choice(shell, words) {
            script = script.replace(&plain, &list);
        }
    }
    match shell {
        Shell::Bash => script.insert_str(0, BASH_LIST.trim_start()),
        // With two colons, zsh would not complete options after a file.
        Shell::Zsh => script = script.replace("'*::", "'*:"),
        Shell::Fish => {
            script.insert_str(0, FISH_LIST.trim_start());
            script.push_str(&positionals_of_fish(definition));
        }
        _ => {}
    }
    script
}

/// Adds to `lists` the words of an option whose value is a list. Removes their descriptions from the option, so that
/// the script contains the text that [`choice`] returns first.
fn as_list(arg: Arg, lists: &mut Vec<Vec<String>>) -> Arg {
    let is_list = arg.get_value_delimiter() == Some(',') || LISTS.contains(&arg.get_id().as_str());
    let words: Vec<PossibleValue> = arg.get_possible_values();
    if !is_list || words.is_empty() {
        return arg;
    }
    lists.push(words.iter().map(|word| word.get_name().to_owned()).collect());
    let alone = words.into_iter().map(|word| word.help(None));
    // Without a delimiter here: only the program itself must split the list, not the script.
    arg.value_delimiter(None).hide_possible_values(false).value_parser(PossibleValuesParser::new(alone))
}

/// Returns the text of a script that completes one of these words, and the text that completes a list of them.
fn choice(shell: Shell, words: &[String]) -> Option<(String, String)> {
    let all = words.join(" ");
    Some(match shell {
        Shell::Bash => (
            format!("COMPREPLY=($(compgen -W \"{all}\" -- \"${{cur}}\"))"),
            format!("COMPREPLY=($(_quadrille_list \"${{cur}}\" {all})); compopt -o nospace 2>/dev/null"),
        ),
        Shell::Zsh => (format!(":({all})'"), format!(":_values -s , word {all}'")),
        Shell::Fish => {
            let lines: Vec<String> = words.iter().map(|word| format!("{word}\\t''")).collect();
            (format!("\"{}\"", lines.join("\n")), format!("\"(__fish_quadrille_list {all})\""))
        }
        _ => return None,
    })
}

/// Returns fish code that completes positional arguments, which the script of `clap_complete` leaves out.
fn positionals_of_fish(definition: &Command) -> String {
    let mut text = String::new();
    for verb in definition.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let words: Vec<String> = verb
            .get_positionals()
            .flat_map(Arg::get_possible_values)
            .filter(|word| !word.is_hide_set())
            .map(|word| word.get_name().to_owned())
            .collect();
        if !words.is_empty() {
            let (name, words) = (verb.get_name(), words.join(" "));
            text += &format!(
                "complete -c quadrille -n \"__fish_quadrille_using_subcommand {name}\" -f -a \"{words}\"\n"
            );
        }
    }
    text
}
