// SPDX-License-Identifier: Apache-2.0
#include "core/config/node.hpp"

#include "core/config/regular_file.hpp"
#include "core/config/utf8.hpp"

#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <new>
#include <sstream>
#include <unordered_set>

namespace levee::config {

std::string_view Node::kind_name() const
{
    switch (kind) {
    case Kind::Null:
        return "nothing";
    case Kind::Scalar:
        return "a single value";
    case Kind::List:
        return "a list";
    case Kind::Map:
        return "a map";
    }
    return "nothing";
}

const Node* Node::find(std::string_view key) const
{
    for (const Entry& entry : entries)
        if (entry.key == key)
            return &entry.value;
    return nullptr;
}

Node* Node::find(std::string_view key)
{
    return const_cast<Node*>(std::as_const(*this).find(key));
}

std::vector<std::string> Node::keys() const
{
    std::vector<std::string> result;
    for (const Entry& entry : entries)
        result.push_back(entry.key);
    return result;
}

namespace {

constexpr std::uint64_t most_yaml_bytes = std::uint64_t{64} << 20;
constexpr std::size_t deepest = 64; // Nesting of lists and maps; code that visits a tree recurses.

/// Builds the tree from the parser's events. Unlike YAML::Node, events show duplicate keys and
/// aliases, which are refused.
class TreeBuilder : public YAML::EventHandler {
public:
    /// `text` is the document.
    TreeBuilder(std::shared_ptr<const std::string> file, std::string_view text)
        : file_(std::move(file)), text_(text)
    {
        for (std::size_t at = 0; at != std::string_view::npos; at = text.find('\n', at)) {
            at += lines_.empty() ? 0 : 1;
            lines_.push_back(at);
        }
    }

    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        refuse_anchor(mark, anchor);
        Node node = make(Node::Kind::Null, mark);
        node.unsets = says_null(mark);
        add(std::move(node));
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override
    {
        throw Error(place(mark),
                    "an alias ('*name') is not supported here; write the value itself, or "
                    "share a file with `extends:`");
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override
    {
        refuse_anchor(mark, anchor);
        Node node = make(Node::Kind::Scalar, mark);
        node.scalar = value;
        node.quoted = tag == "!";
        if (!node.quoted)
            refuse_tag(mark, tag);
        add(std::move(node));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag);
        open(Node::Kind::List, mark);
    }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag);
        open(Node::Kind::Map, mark);
    }

    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        bool has_key;
        std::string key;
        Place key_place;
        std::unordered_set<std::string> keys;
    };

    void open(Node::Kind kind, const YAML::Mark& mark)
    {
        if (open_.size() == deepest)
            throw Error(place(mark), "a list or map is nested in " + std::to_string(deepest) +
                                         " others; expected fewer");
        open_.push_back({make(kind, mark), false, {}, {}, {}});
    }

    [[nodiscard]] Place place(const YAML::Mark& mark) const
    {
        return {file_, mark.line + 1, mark.column + 1};
    }

    [[nodiscard]] Node make(Node::Kind kind, const YAML::Mark& mark) const
    {
        Node node;
        node.kind = kind;
        node.place = place(mark);
        return node;
    }

    /// Whether the word null is at `mark`, where the parser reported a null or missing value. The
    /// mark's column counts characters, not bytes, so the word is not found after a multi-byte
    /// character. The value is then treated as missing.
    [[nodiscard]] bool says_null(const YAML::Mark& mark) const
    {
        const std::size_t line =
            std::min(static_cast<std::size_t>(std::max(mark.line, 0)), lines_.size() - 1);
        std::string_view rest = text_.substr(lines_[line]);
        rest.remove_prefix(
            std::min(static_cast<std::size_t>(std::max(mark.column, 0)), rest.size()));
        constexpr std::string_view words[] = {"null", "~", "Null", "NULL"};
        return std::ranges::any_of(words, [&](std::string_view word) {
            return rest.starts_with(word) &&
                   (rest.size() == word.size() ||
                    std::string_view(" \t\r\n,]}#").find(rest[word.size()]) != rest.npos);
        });
    }

    void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const
    {
        if (anchor != YAML::NullAnchor)
            throw Error(place(mark), "an anchor ('&name') is not supported here; share a file with "
                                     "`extends:` instead");
    }

    /// Refuses a tag. Exceptions are an empty tag and "?", with which the parser marks a plain
    /// value without a tag.
    void refuse_tag(const YAML::Mark& mark, const std::string& tag) const
    {
        if (tag != "?" && !tag.empty())
            throw Error(place(mark), "a YAML tag ('" + tag + "') is not supported here");
    }

    void close()
    {
        Node node = std::move(open_.back().node);
        open_.pop_back();
        add(std::move(node));
    }

    void add(Node node)
    {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.is_list())
            parent.node.items.push_back(std::move(node));
        else if (!parent.has_key)
            add_key(parent, std::move(node));
        else {
            if (node.is_null() && !node.unsets)
                node.place = parent.key_place; // A missing value has no place, so its key's place
                                               // is used.
            parent.node.entries.push_back(
                {std::move(parent.key), parent.key_place, std::move(node)});
            parent.has_key = false;
        }
    }

    static void add_key(Open& map, Node key)
    {
        if (!key.is_scalar())
            throw Error(key.place, "a key must be a name; this is " + std::string(key.kind_name()));
        if (!map.keys.insert(key.scalar).second) {
            const auto first = std::ranges::find(map.node.entries, key.scalar, &Node::Entry::key);
            throw Error(key.place, "duplicate key '" + key.scalar + "'; it was first given at " +
                                       first->place.text());
        }
        map.key = std::move(key.scalar);
        map.key_place = key.place;
        map.has_key = true;
    }

    std::shared_ptr<const std::string> file_;
    std::string_view text_;
    std::vector<std::size_t> lines_; // Beginning of each line.
    Node root_;
    std::vector<Open> open_;
};

template <typename Number, typename... Base>
bool parses_as(std::string_view text, Number& number, Base... base)
{
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, base...);
    return error == std::errc() && end == text.data() + text.size();
}

/// Whether the text is an unsigned decimal number, with at most a point and an exponent.
bool is_decimal(std::string_view text)
{
    constexpr std::string_view figures = "0123456789";
    const std::size_t end = std::min(text.find_first_of("eE"), text.size());
    const std::string_view digits = text.substr(0, end);
    std::string_view exponent = text.substr(std::min(end + 1, text.size()));
    if (exponent.starts_with('+') || exponent.starts_with('-'))
        exponent.remove_prefix(1);
    return digits.find_first_of(figures) != digits.npos &&
           digits.find_first_not_of("0123456789.") == digits.npos &&
           std::ranges::count(digits, '.') <= 1 && (end == text.size() || !exponent.empty()) &&
           exponent.find_first_not_of(figures) == exponent.npos;
}

nlohmann::ordered_json scalar_to_json(const Node& node)
{
    if (node.quoted)
        return node.scalar;
    if (const std::optional<bool> boolean = plain_boolean(node))
        return *boolean;
    const std::string number = plain_number(node.scalar);
    if (std::uint64_t natural = 0; parses_as(number, natural))
        return natural;
    if (std::int64_t integer = 0; parses_as(number, integer))
        return integer;
    // from_chars accepts "inf" and "nan", but JSON does not.
    const bool numeric = number.find_first_of("0123456789") != std::string::npos;
    if (double real = 0; numeric && parses_as(number, real))
        return real;
    return node.scalar;
}

} // namespace

std::string plain_number(std::string_view text)
{
    std::uint64_t natural = 0;
    if ((text.starts_with("0x") && parses_as(text.substr(2), natural, 16)) ||
        (text.starts_with("0o") && parses_as(text.substr(2), natural, 8)))
        return std::to_string(natural);
    const bool is_signed = text.starts_with('+') || text.starts_with('-');
    std::string number(text.substr(is_signed ? 1 : 0));
    if (!is_decimal(number))
        return std::string(text);
    const std::size_t exponent = std::min(number.find_first_of("eE"), number.size());
    if (number[exponent - 1] == '.')
        number.erase(exponent - 1, 1);
    const bool is_zero = number.find_first_of("123456789") >= exponent;
    return text.starts_with('-') && !is_zero ? "-" + number : number;
}

std::optional<bool> plain_boolean(const Node& node)
{
    const auto is = [&node](std::initializer_list<std::string_view> words) {
        return !node.quoted && std::ranges::find(words, node.scalar) != words.end();
    };
    if (is({"true", "True", "TRUE"}))
        return true;
    if (is({"false", "False", "FALSE"}))
        return false;
    return std::nullopt;
}

Node parse_yaml(const std::string& text, const std::string& shown)
{
    const auto file = std::make_shared<const std::string>(shown);
    check_utf8(file, text);
    std::istringstream stream(text);
    TreeBuilder builder(file, text);
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        Node root = builder.take();
        if (!root.place.file)
            root.place = {file, 1, 1};
        TreeBuilder rest(file, text);
        if (parser.HandleNextDocument(rest))
            throw Error(rest.take().place, "a second YAML document; expected one in a file");
        return root;
    } catch (const YAML::Exception& error) {
        throw Error({file, error.mark.line + 1, error.mark.column + 1},
                    "not valid YAML: " + error.msg);
    }
}

Node load_yaml(const std::filesystem::path& path, const Place* referrer)
{
    const auto fail = [&](const std::string& message) -> Error {
        return referrer ? Error(*referrer, message) : Error(message);
    };
    std::string why;
    const std::optional<std::string> text = read_file(path, most_yaml_bytes, why);
    if (!text)
        throw fail(path.string() + ": " + why);
    // A file name that begins like an option is shown as a path, because --set marks overrides.
    const std::string name = path.string();
    try {
        return parse_yaml(*text, name.starts_with('-') ? "./" + name : name);
    } catch (const std::bad_alloc&) {
        throw fail(name + ": there is not enough memory to parse its " +
                   std::to_string(text->size()) + " bytes");
    }
}

nlohmann::ordered_json to_json(const Node& node)
{
    using Json = nlohmann::ordered_json;
    switch (node.kind) {
    case Node::Kind::Null:
        return nullptr;
    case Node::Kind::Scalar:
        return scalar_to_json(node);
    case Node::Kind::List: {
        Json list = Json::array();
        for (const Node& item : node.items)
            list.push_back(to_json(item));
        return list;
    }
    case Node::Kind::Map: {
        Json map = Json::object();
        for (const Node::Entry& entry : node.entries)
            map[entry.key] = to_json(entry.value);
        return map;
    }
    }
    return nullptr;
}

} // namespace levee::config
