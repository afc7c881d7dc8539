//! Completion scripts for shells. `clap_complete` generates the scripts. This module makes two changes: the
//! scripts complete comma-separated lists, and they leave out hidden commands.
//!
//! For an option with a comma-separated list, the script of `clap_complete` offers words only if the value
//! has no comma yet. This module replaces that code with a call of a shell function, which completes the last
//! word of the list.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command};
use clap_complete::Shell;

/// Options whose value is a comma-separated list that the option's own parser splits. For clap, the value is
/// a single text.
const LISTS: [&str; 1] = ["rules"];

/// Bash function that completes the last word of a list. It does not offer words that are already in the
/// list.
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
        // Two colons would prevent zsh from completing options after a file.
        Shell::Zsh => script = script.replace("'*::", "'*:"),
        Shell::Fish => {
            script.insert_str(0, FISH_LIST.trim_start());
            script.push_str(&positionals_of_fish(definition));
        }
        _ => {}
    }
    script
}

/// If the value of an option is a list, adds the possible words to `lists`, and removes their descriptions
/// from the option. Then the generated script contains exactly the first text that [`choice`] returns, so
/// that [`script`] can replace this text.
fn as_list(arg: Arg, lists: &mut Vec<Vec<String>>) -> Arg {
    let is_list = arg.get_value_delimiter() == Some(',') || LISTS.contains(&arg.get_id().as_str());
    let words: Vec<PossibleValue> = arg.get_possible_values();
    if !is_list || words.is_empty() {
        return arg;
    }
    lists.push(words.iter().map(|word| word.get_name().to_owned()).collect());
    let alone = words.into_iter().map(|word| word.help(None));
    // In the definition for the script, the option has no delimiter. Only the program itself splits the list.
    arg.value_delimiter(None).hide_possible_values(false).value_parser(PossibleValuesParser::new(alone))
}

/// Returns two pieces of a shell script, or `None` for shells without support for lists. The first is the
/// generated code, which completes a single word of `words`. The second is its replacement, which completes a
/// list of these words.
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

/// Returns fish code that completes positional arguments, because the script of `clap_complete` does not.
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
