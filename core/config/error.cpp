// SPDX-License-Identifier: Apache-2.0
#include "core/config/error.hpp"

#include <algorithm>
#include <cctype>

namespace levee::config {

namespace {

constexpr std::size_t most_of_value = 120, most_of_place = 400, most_of_message = 4000;

} // namespace

std::string Place::text() const
{
    const std::string name = file ? shortened(*file, most_of_place) : std::string("?");
    return line ? name + ":" + std::to_string(line) + ":" + std::to_string(column) : name;
}

Error::Error(const std::string& message) : std::runtime_error(shortened(message, most_of_message))
{
}

Error::Error(const Place& place, const std::string& message) : Error(place.text() + ": " + message)
{
}

std::string shortened(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
        return std::string(text);
    const std::string gap = " ... (" + std::to_string(text.size()) + " bytes in all) ... ";
    return std::string(text.substr(0, most / 2)) + gap +
           std::string(text.substr(text.size() - most / 4));
}

std::string in_quotes(std::string_view text)
{
    return "'" + shortened(text, most_of_value) + "'";
}

namespace {

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

/// Returns the number of insertions, deletions, substitutions and swaps of neighbouring characters
/// that turn `a` into `b` (optimal string alignment).
std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

} // namespace

namespace {

/// Returns all candidates with the smallest edit distance, in their given order.
std::vector<std::string> all_nearest(std::string_view name,
                                     const std::vector<std::string>& candidates)
{
    constexpr std::size_t longest = 100;
    const std::string wanted = lower(name);
    if (wanted.empty() || wanted.size() > longest)
        return {};
    std::vector<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3);
    for (const std::string& candidate : candidates) {
        const std::string other = lower(candidate);
        if (other.size() > longest)
            continue;
        // A name that lacks only its end, such as `max_new` for `max_new_tokens`, also counts as
        // near.
        const bool prefix = wanted.size() >= 2 && other.starts_with(wanted) && other != wanted;
        const std::size_t distance = prefix ? 1 : edit_distance(wanted, other);
        if (distance > best_distance || distance >= wanted.size())
            continue;
        if (distance < best_distance)
            best.clear();
        best_distance = distance;
        best.push_back(candidate);
    }
    return best;
}

} // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates)
{
    const std::vector<std::string> near = all_nearest(name, candidates);
    return near.empty() ? std::string() : near.front();
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates)
{
    constexpr std::size_t most_named = 3;
    const std::vector<std::string> near = all_nearest(name, candidates);
    std::string text;
    if (!near.empty() && near.size() <= most_named) {
        for (const std::string& candidate : near)
            text += (text.empty() ? "; did you mean '" : " or '") + candidate + "'";
        return text + "?";
    }
    if (candidates.empty())
        return {};
    text = "; expected one of: ";
    for (std::size_t i = 0; i < candidates.size(); ++i)
        text += (i ? ", " : "") + candidates[i];
    return text;
}

} // namespace levee::config
