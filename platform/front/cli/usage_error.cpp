// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/usage_error.hpp"

#include "core/config/error.hpp"
#include "core/config/pattern.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace levee::cli {

namespace {

/// The command of the line, and its words.
struct Command {
    const CLI::App* app;
    std::string words;
};

struct Extra {
    Command command;
    std::string word;
};

/// The subcommand that the line names after this command.
Command next(const Command& command)
{
    const CLI::App* const app = command.app->get_subcommands().front();
    return {app, command.words + " " + app->get_name()};
}

Command command_of(const CLI::App& app)
{
    Command command{&app, app.get_name()};
    while (!command.app->get_subcommands().empty())
        command = next(command);
    return command;
}

std::string with_help(const Command& command, const std::string& text)
{
    return text + "; '" + command.words + " --help' has all options";
}

std::string extra(const Command& command, const std::string& word)
{
    if (!word.starts_with('-'))
        return with_help(command, "'" + command.words + "' has no place for the argument " +
                                      config::in_quotes(word));
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : command.app->get_options())
        for (const std::string& one : option->get_lnames())
            known.push_back("--" + one);
    const std::string near = config::nearest(name, known);
    const std::string unknown = "'" + command.words + "' has no option " + config::in_quotes(name);
    return near.empty() ? with_help(command, unknown) : unknown + "; did you mean '" + near + "'?";
}

/// `extras` has the words of the line that are not understood.
std::string no_subcommand(const Command& command, const std::vector<std::string>& extras)
{
    if (!extras.empty() && extras.front().starts_with('-'))
        return extra(command, extras.front());
    std::vector<std::string> names;
    for (const CLI::App* one : command.app->get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(one->get_name());
    if (!extras.empty())
        return "'" + command.words + "' has no subcommand " + config::in_quotes(extras.front()) +
               config::suggestion(extras.front(), names);
    return "'" + command.words +
           "' lacks a subcommand; expected one of: " + CLI::detail::join(names, ", ");
}

std::vector<std::string> words_in(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
        words.push_back(word);
    return words;
}

/// The values that a validator of CLI11 allows, by its description; empty if it is unknown.
std::string allowed_by(const std::string& description)
{
    if (const auto list = config::matches(description, "^\\{(.*)\\}$"); !list.empty())
        return "one of: " + CLI::detail::join(words_in(list.front().groups[1]), ", ");
    if (const auto range = config::matches(description, "in \\[(\\S+) - (\\S+)\\]$");
        !range.empty())
        return range.front().groups[1] + " to " + range.front().groups[2];
    return "";
}

/// Returns where the name of a validator follows that of a type. A colon in brackets belongs to the
/// type, as in "timeline[:FILE]".
std::size_t end_of_type(const std::string& name)
{
    int depth = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
        depth += name[at] == '[' ? 1 : name[at] == ']' ? -1 : 0;
        if (name[at] == ':' && depth == 0)
            return at;
    }
    return name.npos;
}

/// What an option expects, by the name that CLI11 gives to its type: "TYPE" or "TYPE:VALIDATOR".
std::string expected_by(const Command& command, const std::string& name)
{
    const CLI::Option* const option = command.app->get_option_no_throw(name);
    if (option != nullptr && option->get_expected_max() == 0)
        return "none";
    const std::string type = option != nullptr ? option->get_type_name() : "";
    const std::size_t colon = end_of_type(type);
    const std::string allowed = colon != type.npos ? allowed_by(type.substr(colon + 1)) : "";
    return !allowed.empty()            ? allowed
           : type.starts_with("UINT")  ? "a whole number"
           : type.starts_with("INT")   ? "a whole number, which may be negative"
           : type.starts_with("FLOAT") ? "a number"
           : type.empty()              ? "a value"
                                       : type.substr(0, colon);
}

using Groups = std::vector<std::string>;
using Worded = std::string (*)(const Command& command, const Groups& of);

/// A message of CLI11, and the one in its place.
struct Wording {
    const char* pattern;
    Worded worded;
};

const Wording wordings[] = {
    {"^(\\S+) is required$",
     [](const Command& command, const Groups& of) {
         return with_help(command, "'" + command.words + "' lacks " + of[1]);
     }},
    {"^(\\S+) requires (\\S+)$",
     [](const Command&, const Groups& of) {
         return of[1] + " has no effect without " + of[2] + "; expected both";
     }},
    {"^(\\S+) excludes (\\S+)$",
     [](const Command&, const Groups& of) {
         return of[1] + " cannot be used with " + of[2] + "; expected one of the two";
     }},
    {"^(\\S+): \\d+ required .* missing$",
     [](const Command& command, const Groups& of) {
         return of[1] + ": its value is missing; expected " + expected_by(command, of[1]);
     }},
    {"^(\\S+): At (least|[Mm]ost) (\\d+) required but received (\\d+)$",
     [](const Command&, const Groups& of) {
         return of[1] + ": " + of[4] + " given; expected at " +
                (of[2] == "least" ? "least " : "most ") + of[3];
     }},
    {"^Could not convert: (\\S+) = (.*)$",
     [](const Command& command, const Groups& of) {
         return of[1] + ": the value is " + config::in_quotes(of[2]) + "; expected " +
                expected_by(command, of[1]);
     }},
    {"^(\\S+): Value (.*) not in range (\\S+) to (\\S+)$",
     [](const Command&, const Groups& of) {
         return of[1] + ": the value is " + config::in_quotes(of[2]) + "; expected " + of[3] +
                " to " + of[4];
     }},
    {"^(\\S+): (?:File|Path|Directory) does not exist: (.*)$",
     [](const Command&, const Groups& of) {
         return of[1] + ": there is no " + config::in_quotes(of[2]) +
                "; expected a path that exists";
     }},
    {"^(\\S+): File is actually a directory: (.*)$",
     [](const Command&, const Groups& of) {
         return of[1] + ": " + config::in_quotes(of[2]) + " is a folder; expected a file";
     }},
    {"^(\\S+): Directory is actually a file: (.*)$",
     [](const Command&, const Groups& of) {
         return of[1] + ": " + config::in_quotes(of[2]) + " is a file; expected a folder";
     }},
    {"^(\\S+): (.*) not in \\{(.*)\\}$",
     [](const Command&, const Groups& of) {
         return of[1] + ": the value is " + config::in_quotes(of[2]) +
                config::suggestion(of[2], words_in(of[3]));
     }},
};

/// The first word that was not understood, and the command that it was given to.
std::optional<Extra> first_extra(const CLI::App& app)
{
    Command command{&app, app.get_name()};
    while (true) {
        if (!command.app->remaining().empty() && !command.app->get_allow_extras())
            return Extra{command, command.app->remaining().front()};
        if (command.app->get_subcommands().empty())
            return std::nullopt;
        command = next(command);
    }
}

std::string in_one_line(std::string text)
{
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;)
        text.replace(at, 1, "\\n");
    return text;
}

/// Longest text, in bytes, that is compared with the wordings.
constexpr std::size_t most_matched = 1000;

std::string reworded(const CLI::App& app, const CLI::ParseError& error)
{
    const Command command = command_of(app);
    const std::string said = config::shortened(in_one_line(error.what()), most_matched);
    const bool lacks_subcommand = said == "A subcommand is required";
    const int code = error.get_exit_code();
    const std::optional<Extra> first = first_extra(app);
    if (first && !(lacks_subcommand && first->command.app == command.app) &&
        (code == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
         code == static_cast<int>(CLI::ExitCodes::RequiredError)))
        return extra(first->command, first->word);
    if (lacks_subcommand)
        return no_subcommand(command, command.app->remaining());
    for (const Wording& wording : wordings)
        if (const auto found = config::matches(said, wording.pattern); !found.empty())
            return wording.worded(command, found.front().groups);
    return said;
}

} // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error)
{
    return in_one_line(reworded(app, error));
}

} // namespace levee::cli
