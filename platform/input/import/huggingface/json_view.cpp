// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/json_view.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

namespace levee::hf {

namespace {

constexpr std::size_t most_shown = 60; // greatest number of bytes of a value that a message shows
constexpr std::size_t deepest = 64;    // greatest depth of nested lists and objects, since the code
                                       // that prints them is recursive

std::string shown(const Json& value)
{
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > most_shown)
        text = text.substr(0, most_shown) + "...";
    return text;
}

std::string text_of_file(const std::filesystem::path& path)
{
    const std::vector<std::uint8_t> bytes = read_file(path);
    return {bytes.begin(), bytes.end()};
}

/// Puts quotes around NaN and the infinities, which Python writes but JSON does not have. Leaves
/// strings unchanged.
std::string with_quoted_numbers(std::string_view text)
{
    constexpr std::array<std::string_view, 3> numbers{"NaN", "Infinity", "-Infinity"};
    std::string result;
    bool is_in_string = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        const auto number = std::ranges::find_if(
            numbers, [&](std::string_view word) { return rest.starts_with(word); });
        if (!is_in_string && number != numbers.end()) {
            result.append("\"").append(*number).append("\"");
            at += number->size();
            continue;
        }
        const std::size_t letters = is_in_string && rest[0] == '\\' && rest.size() > 1 ? 2 : 1;
        is_in_string = is_in_string != (rest[0] == '"');
        result.append(rest.substr(0, letters));
        at += letters;
    }
    return result;
}

bool has_other_numbers(std::string_view text)
{
    return text.find("NaN") != std::string_view::npos ||
           text.find("Infinity") != std::string_view::npos;
}

/// Refuses duplicate keys and deep nesting. The parser itself reports invalid JSON, with the place.
/// This class is not a callback of the parser, because with callbacks the parser would search an
/// object's values at the end of each object.
class ObjectCheck : public nlohmann::json_sax<Json> {
public:
    explicit ObjectCheck(const std::string& source) : source_(source) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override
    {
        if (!keys_.back().insert(name).second)
            throw ModelError(source_ + ": key " + shown(name) +
                             ": given twice in one object, expected once");
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override
    {
        return false;
    }

private:
    bool open()
    {
        if (keys_.size() == deepest)
            throw ModelError(source_ + ": lists and objects more than " + std::to_string(deepest) +
                             " deep, expected fewer");
        keys_.emplace_back();
        return true;
    }
    bool close()
    {
        keys_.pop_back();
        return true;
    }

    const std::string& source_;
    std::vector<std::unordered_set<std::string>>
        keys_; // keys of each open object; empty for a list
};

Json checked(std::string_view text, const std::string& source)
{
    ObjectCheck check(source);
    (void)Json::sax_parse(text, &check);
    return Json::parse(text);
}

} // namespace

Json parse_object(std::string_view text, const std::string& source)
{
    try {
        Json json = has_other_numbers(text) ? checked(with_quoted_numbers(text), source)
                                            : checked(text, source);
        if (!json.is_object())
            throw ModelError(source + ": " + shown(json) + ", expected a JSON object");
        return json;
    } catch (const Json::exception& error) {
        std::string what = error.what();
        what = what.substr(std::min(what.size(), what.find("] ") + 2)); // without the number of
                                                                        // nlohmann's error
        throw ModelError(source + ": is not JSON: " + what);
    }
}

std::string JsonView::place() const
{
    return path_.empty() ? source_ : source_ + ": " + path_;
}

std::string JsonView::shown() const
{
    return hf::shown(*value_);
}

void JsonView::fail(const std::string& expected) const
{
    throw ModelError(place() + ": " + shown() + ", expected " + expected);
}

std::optional<JsonView> JsonView::find(const std::string& key) const
{
    if (!value_->is_object())
        fail("an object");
    const auto found = value_->find(key);
    if (found == value_->end() || found->is_null())
        return std::nullopt;
    return JsonView(*found, source_, path_.empty() ? key : path_ + "." + key);
}

JsonView JsonView::at(const std::string& key) const
{
    const auto found = find(key);
    if (!found)
        throw ModelError(place() + ": has no '" + key + "', expected one");
    return *found;
}

std::vector<JsonView> JsonView::items() const
{
    if (!value_->is_array())
        fail("a list");
    std::vector<JsonView> views;
    for (const Json& item : *value_)
        views.emplace_back(item, source_, path_ + "[" + std::to_string(views.size()) + "]");
    return views;
}

std::vector<std::pair<std::string, JsonView>> JsonView::entries() const
{
    if (!value_->is_object())
        fail("an object");
    std::vector<std::pair<std::string, JsonView>> views;
    for (const auto& [key, value] : value_->items())
        views.emplace_back(key, JsonView(value, source_, path_.empty() ? key : path_ + "." + key));
    return views;
}

std::string JsonView::text() const
{
    if (!value_->is_string())
        fail("a string");
    return value_->get<std::string>();
}

bool JsonView::flag() const
{
    if (!value_->is_boolean())
        fail("true or false");
    return value_->get<bool>();
}

double JsonView::real() const
{
    if (!value_->is_number() || !std::isfinite(value_->get<double>()))
        fail("a number");
    return value_->get<double>();
}

std::uint64_t JsonView::whole() const
{
    if (!value_->is_number_unsigned())
        fail("an integer from 0");
    return value_->get<std::uint64_t>();
}

std::uint32_t JsonView::count() const
{
    if (whole() > UINT32_MAX)
        fail("an integer below 2^32");
    return static_cast<std::uint32_t>(whole());
}

std::string JsonView::text(const std::string& key, const std::string& without) const
{
    const auto found = find(key);
    return found ? found->text() : without;
}

bool JsonView::flag(const std::string& key, bool without) const
{
    const auto found = find(key);
    return found ? found->flag() : without;
}

double JsonView::real(const std::string& key, double without) const
{
    const auto found = find(key);
    return found ? found->real() : without;
}

std::uint32_t JsonView::count(const std::string& key, std::uint32_t without) const
{
    const auto found = find(key);
    return found ? found->count() : without;
}

JsonFile::JsonFile(const std::filesystem::path& path)
    : source_(path.string()), json_(parse_object(text_of_file(path), source_))
{
}

} // namespace levee::hf
