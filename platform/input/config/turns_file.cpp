// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/turns_file.hpp"

#include "core/config/csv.hpp"
#include "core/config/error.hpp"
#include "core/config/regular_file.hpp"
#include "platform/input/config/workload_keys.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace levee::config {

namespace {

constexpr const char* csv_ending = ".csv";

/// A column of the file, with the key of a turn that it sets, and the unit in the column's
/// name.
struct Column {
    const char *name, *key, *unit;
};

constexpr Column columns[] = {{"prompt", "prompt", ""},
                              {"prompt_tokens", "prompt_tokens", ""},
                              {"max_new_tokens", "max_new_tokens", ""},
                              {"after_s", "after", " s"}};

bool is_number(const std::string& text)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && at == end && std::isfinite(value) && value >= 0;
}

class TurnsTable {
public:
    TurnsTable(const std::string& text, const std::string& shown)
    {
        list_.kind = Node::Kind::List;
        list_.place = {std::make_shared<const std::string>(shown), 1, 1};
        for_each_csv_line(text, shown,
                          [&](const Place& place, const std::vector<std::string>& fields) {
                              if (place.line == 1)
                                  read_heading(place, fields);
                              else if (list_.items.size() == most_turns)
                                  throw too_many_turns(place);
                              else
                                  list_.items.push_back(turn(place, fields));
                          });
        if (list_.items.empty())
            throw Error(list_.place, "the file has no turns; expected one per line");
    }
    [[nodiscard]] Node list() && { return std::move(list_); }

private:
    void read_heading(const Place& place, const std::vector<std::string>& fields)
    {
        int prompts = 0;
        for (const std::string& field : fields) {
            const Column* const found = std::ranges::find(columns, field, &Column::name);
            if (found == std::end(columns) || std::ranges::find(columns_, found) != columns_.end())
                throw no_columns(place);
            prompts += std::string_view(found->name).starts_with("prompt") ? 1 : 0;
            columns_.push_back(found);
        }
        if (prompts != 1)
            throw no_columns(place);
    }

    static Error no_columns(const Place& place)
    {
        return {place, "expected the columns prompt or prompt_tokens, and maybe max_new_tokens and "
                       "after_s, each once"};
    }

    /// Returns a line as a turn. The key of an empty cell is omitted, except in the column
    /// `prompt`.
    [[nodiscard]] Node turn(const Place& place, const std::vector<std::string>& fields) const
    {
        if (fields.size() != columns_.size())
            throw Error(place, "the line has " + std::to_string(fields.size()) +
                                   " fields; expected " + std::to_string(columns_.size()));
        Node map;
        map.kind = Node::Kind::Map;
        map.place = place;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const bool is_text = std::string_view(columns_[i]->key) == "prompt";
            if (fields[i].empty() && !is_text)
                continue;
            if (*columns_[i]->unit != '\0' && !is_number(fields[i]))
                throw Error(place, "'" + std::string(columns_[i]->name) + "' is '" + fields[i] +
                                       "'; expected a number of seconds such as 2.5, without unit");
            Node value;
            value.kind = Node::Kind::Scalar;
            value.place = place;
            value.scalar = fields[i] + columns_[i]->unit;
            value.quoted = is_text;
            map.entries.push_back({columns_[i]->key, place, std::move(value)});
        }
        return map;
    }

    std::vector<const Column*> columns_;
    Node list_;
};

} // namespace

Error too_many_turns(const Place& place)
{
    return {place, "this is turn " + std::to_string(most_turns) +
                       " of 'workload.turns', counted from 0; expected at most " +
                       std::to_string(most_turns) + " turns"};
}

bool is_turns_file(const std::string& name)
{
    return name.ends_with(".yaml") || name.ends_with(csv_ending);
}

Node turns_of_file(const std::filesystem::path& file, const Place& referrer)
{
    if (file.extension() == csv_ending) {
        constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
        std::string why;
        const std::optional<std::string> text = read_file(file, most_bytes, why);
        if (!text)
            throw Error(referrer, file.string() + ": " + why);
        return TurnsTable(*text, file.string()).list();
    }
    Node list = load_yaml(file, &referrer);
    if (!list.is_list())
        throw Error(list.place, "the file holds " + std::string(list.kind_name()) +
                                    "; expected a list of turns, as 'workload.turns' is");
    return list;
}

} // namespace levee::config
