// SPDX-License-Identifier: Apache-2.0
// The filter tojson, as transformers defines it: json.dumps().
#include "platform/input/import/jinja/builtins.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace levee::jinja {

namespace {

struct Form {
    bool ascii = false;
    bool sorted = false;
    bool lines = false;   ///< each item is on its own line
    std::string indent{}; ///< indentation of one level, if `lines` is set
    std::string between = ", ";
    std::string behind_key = ": ";
};

std::string quoted(const std::string& text, const Form& form)
{
    std::string result = "\"";
    for (const char c : text) {
        constexpr std::string_view meant = "\n\r\t\b\f\\\"", written = "nrtbf\\\"";
        const std::size_t known = meant.find(c);
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x80 && form.ascii)
            throw Unable("tojson() with ensure_ascii supports only ASCII");
        if (known != std::string_view::npos) {
            result += {'\\', written[known]};
        } else if (code < 0x20) {
            std::array<char, 8> escape{};
            (void)std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
            result += escape.data();
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string dumped(const Value& value, const Form& form, const std::string& before);

/// Returns items in brackets. `before` is the line end and indentation of the enclosing value.
std::string bracketed(const std::vector<std::string>& all, const Form& form,
                      const std::string& before, const char* brackets)
{
    std::string text(1, brackets[0]);
    const std::string begin = form.lines ? before + form.indent : "";
    for (std::size_t i = 0; i < all.size(); ++i) {
        text += (i == 0 ? "" : form.between) + begin + all[i];
        check_bytes(text.size());
    }
    return text + (form.lines && !all.empty() ? before : "") + brackets[1];
}

std::string dumped(const Value& value, const Form& form, const std::string& before)
{
    const std::string inner = before + form.indent;
    std::vector<std::string> all;
    if (const std::string* const text = value.text())
        return quoted(*text, form);
    if (const auto* const flag = value.as<bool>())
        return *flag ? "true" : "false";
    if (value.as<None>() != nullptr)
        return "null";
    if (value.as<std::int64_t>() != nullptr || value.as<double>() != nullptr)
        return printed(value);
    if (const List* const list = value.list()) {
        for (const Value& item : *list)
            all.push_back(dumped(item, form, inner));
        return bracketed(all, form, before, "[]");
    }
    if (value.map() == nullptr)
        throw Raised("tojson() does not apply to undefined values and types that JSON lacks");
    Map map = *value.map();
    if (form.sorted)
        std::ranges::stable_sort(map, [](const auto& left, const auto& right) {
            return order(value_of_key(left.first), value_of_key(right.first)) < 0;
        });
    for (const auto& [key, item] : map)
        all.push_back(quoted(printed(value_of_key(key)), form) + form.behind_key +
                      dumped(item, form, inner));
    return bracketed(all, form, before, "{}");
}

} // namespace

std::string json_of(const Value& value, const Arguments& arguments)
{
    const List given = arguments.taken({"ensure_ascii", "indent", "separators", "sort_keys"});
    Form form;
    form.ascii = truth(given[0]);
    form.lines = !is_absent(given[1]);
    form.sorted = truth(given[3]);
    if (form.lines) {
        constexpr std::int64_t widest = 100;
        form.between = ",";
        const std::int64_t width = given[1].text() != nullptr ? 0 : whole_of(given[1]);
        if (width > widest)
            throw Unable("tojson() has an indent of more than " + std::to_string(widest));
        form.indent =
            given[1].text() != nullptr
                ? *given[1].text()
                : std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, width)), ' ');
    }
    if (!is_absent(given[2])) {
        const List pair = items(given[2]);
        if (pair.size() != 2)
            throw Raised("tojson() needs exactly two separators");
        form.between = text_of(pair[0]);
        form.behind_key = text_of(pair[1]);
    }
    return dumped(value, form, "\n");
}

} // namespace levee::jinja
