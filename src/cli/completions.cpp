// thence completions: prints scripts for shell completion. The scripts call this program.
#include <memory>

#include "cli/command.h"
#include "cli/completion.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print a shell completion script",
    .details =
        "The script completes commands, options, values, files, and the module paths of the model on the "
        "command line.",
    .examples = R"(  source <(thence completions bash)
      complete in this shell; put the line into ~/.bashrc for every shell
  thence completions zsh > ~/.zfunc/_thence
      write to a folder in fpath
  thence completions fish > ~/.config/fish/completions/thence.fish)",
    .exit_codes = "0 success, 2 wrong usage, 4 input/output failure",
};

constexpr const char* bash = R"script(# Completion of thence for bash.
_thence() {
  local line current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files)
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${current#=}")
        ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      *)
        printf -v line %q "${line%%$'\t'*}" # a module may be called anything; it must stay a word
        COMPREPLY+=("$line")
        ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _thence thence
)script";

constexpr const char* zsh = R"script(#compdef thence
# Completion of thence for zsh.
_thence() {
  local line
  local -a found behind
  while IFS= read -r line; do
    case $line in
      :files) compset -P '--*='; _files; return ;;
      :nospace) behind=(-S '') ;;
      *) found+=("${line%%$'\t'*}") ;;
    esac
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  compadd "${behind[@]}" -- "${found[@]}"
}
if [[ ${funcstack[1]} = _thence ]]; then _thence "$@"; else compdef _thence thence; fi
)script";

constexpr const char* fish = R"script(# Completion of thence for fish.
function __thence_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                set -l flag (string match -r -- '^--[^=]+=' $current)
                for path in (__fish_complete_path (string replace -- "$flag" "" $current))
                    echo "$flag$path"
                end
            case ':nospace'
            case '*'
                echo $line
        end
    end
end
complete -c thence -f -a '(__thence_complete)'
)script";

}  // namespace

void add_completions(Program& program) {
  auto shell = std::make_shared<std::string>();
  Command command = program.add("completions", Purpose::shell, text);
  command.text({.name = "shell",
                .help = "bash, zsh or fish",
                .type = "SHELL",
                .required = true,
                .choices = {"bash", "zsh", "fish"}},
               *shell);
  command.set_action([shell] {
    return write_output({}, [&](base::Writer& out) {
      out.add(*shell == "bash" ? bash : *shell == "zsh" ? zsh : fish);
    });
  });
}

}  // namespace thence::cli
