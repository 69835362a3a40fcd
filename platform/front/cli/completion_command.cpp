// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/completion_command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace levee::cli {

namespace {

using Words = std::vector<std::string>;

std::string join(const Words& words, const std::string& between)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : between) + word;
    return text;
}

/// Returns an option's names as a user types them; empty for a positional argument.
Words names_of(const CLI::Option& option)
{
    Words names;
    for (const std::string& name : option.get_snames())
        names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        names.push_back("--" + name);
    return names;
}

/// Returns the values that an option allows, which its check or type lists, as in
/// "fst|vcd:{fst,vcd}" or "{instr,bus,timeline}[:FILE]".
Words values_of(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}', begin);
    Words values;
    for (std::size_t at = begin; at < end && end != std::string::npos;) {
        const std::size_t next = std::min(type.find(',', at + 1), end);
        values.push_back(type.substr(at + 1, next - at - 1));
        at = next;
    }
    return values;
}

bool needs_value(const CLI::Option& option)
{
    return option.get_type_size() != 0 && option.get_expected_min() > 0;
}

/// Parts of the completion script, collected for a command and its subcommands. `path` identifies a
/// command, for instance "/import/llama2c".
struct Tables {
    Words commands;     ///< paths of all subcommands
    std::string values; ///< case branches with each option's values
    std::string words;  ///< case branches with each command's other words

    void add(const CLI::App& command, const std::string& path)
    {
        Words options, arguments, below;
        for (const CLI::Option* option : command.get_options()) {
            const Words names = names_of(*option);
            options.insert(options.end(), names.begin(), names.end());
            const Words allowed = values_of(*option);
            if (names.empty())
                arguments.insert(arguments.end(), allowed.begin(), allowed.end());
            else if (needs_value(*option))
                values += "    " + path + ":" + join(names, " | " + path + ":") + ") offers='" +
                          join(allowed, " ") + "' ;;\n";
        }
        for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
            below.push_back(sub->get_name());
            const std::string its_path = path + "/" + sub->get_name();
            commands.push_back(its_path);
            add(*sub, its_path);
        }
        below.insert(below.end(), arguments.begin(), arguments.end());
        words += "        " + path + ":-*) offers='" + join(options, " ") + "' ;;\n";
        if (!below.empty())
            words += "        " + path + ":*) offers='" + join(below, " ") + "' ;;\n";
    }
};

/// Returns the completion script in bash's language. For zsh, it begins with commands that load
/// zsh's emulation of bash completion. The script does not use variables named `path` or `words`,
/// which are special in zsh.
std::string script_for(const std::string& shell, const CLI::App& app)
{
    Tables tables;
    tables.add(app, "");
    return "# Made by `" + app.get_name() + " completion " + shell +
           "`. Without a completion, the shell offers files.\n" +
           (shell == "zsh" ? "autoload -Uz compinit bashcompinit\n"
                             "whence compdef >/dev/null || compinit\nbashcompinit\n"
                           : "") +
           "_levee()\n{\n"
           "    local word=$2 place= offers= i\n"
           "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "        case $place/${COMP_WORDS[i]} in\n        " +
           join(tables.commands, " | ") +
           ") place=$place/${COMP_WORDS[i]} ;;\n        esac\n    done\n"
           "    case $place:$3 in\n" +
           tables.values + "    *)\n        case $place:$word in\n" + tables.words +
           "        esac\n        ;;\n    esac\n"
           "    COMPREPLY=($(compgen -W \"$offers\" -- \"$word\"))\n}\n"
           "complete -o default -F _levee levee\n";
}

} // namespace

void add_completion_command(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "completion", "Print a script with which a shell completes this command line");
    const auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "The shell, as in: . <(levee completion bash)")
        ->check(CLI::IsMember({"bash", "zsh"}))
        ->required();
    command->callback([&app, &action, shell] {
        action = [&app, shell] {
            std::fputs(script_for(*shell, app).c_str(), stdout);
            return 0;
        };
    });
}

} // namespace levee::cli
