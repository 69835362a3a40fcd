// SPDX-License-Identifier: Apache-2.0
#include "core/config/bounded_json.hpp"

#include "core/config/regular_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace levee::config {

namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t most_json_depth = 128;
constexpr std::uint64_t most_json_bytes = std::uint64_t{1} << 30;

bool is_deep(std::string_view text)
{
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            at += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > most_json_depth)
                return true;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

/// Builds a tree whose keys keep their order. The library's own builder would search the whole
/// object for each new key.
class OrderedBuilder : public nlohmann::json_sax<Ordered> {
public:
    [[nodiscard]] Ordered take() { return std::move(root_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override { return add(std::move(value)); }
    bool start_object(std::size_t) override { return open(Ordered::object()); }
    bool start_array(std::size_t) override { return open(Ordered::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override
    {
        open_.back().key = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Ordered::exception&) override
    {
        return false;
    }

private:
    struct Open {
        Ordered* value; // The address is stable: while this value is open, nothing is added next to
                        // it.
        std::string key;
        std::unordered_map<std::string, std::size_t> places; // Positions of an object's keys.
    };

    bool add(Ordered value)
    {
        (void)put(std::move(value));
        return true;
    }

    bool open(Ordered value)
    {
        open_.push_back({put(std::move(value)), {}, {}});
        return true;
    }

    bool close()
    {
        open_.pop_back();
        return true;
    }

    Ordered* put(Ordered value)
    {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Open& parent = open_.back();
        if (parent.value->is_array()) {
            parent.value->push_back(std::move(value));
            return &parent.value->back();
        }
        auto& object = parent.value->get_ref<Ordered::object_t&>();
        const auto [place, is_new] = parent.places.emplace(parent.key, object.size());
        if (!is_new) { // If a key occurs twice, the last value is used.
            Ordered& old = (object.begin() + static_cast<std::ptrdiff_t>(place->second))->second;
            old = std::move(value);
            return &old;
        }
        object.push_back({parent.key, std::move(value)});
        return &object.back().second;
    }

    Ordered root_;
    std::vector<Open> open_;
};

} // namespace

std::optional<nlohmann::json> bounded_json(std::string_view text)
{
    if (is_deep(text))
        return std::nullopt;
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

std::optional<Ordered> bounded_ordered_json(std::string_view text)
{
    OrderedBuilder builder;
    if (is_deep(text) || !Ordered::sax_parse(text, &builder))
        return std::nullopt;
    return builder.take();
}

std::optional<nlohmann::json> bounded_json_file(const std::filesystem::path& path)
{
    std::string ignored;
    const std::optional<std::string> text = read_file(path, most_json_bytes, ignored);
    return text ? bounded_json(*text) : std::nullopt;
}

} // namespace levee::config
