// SPDX-License-Identifier: Apache-2.0
// Values of a Jinja template, with Python's rules as far as chat templates need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace levee::jinja {

/// A template that this interpreter cannot parse or evaluate. The message has the line.
struct Unable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A template that ends with an error by its own raise_exception(), or by Jinja's rules.
struct Raised : std::runtime_error {
    explicit Raised(const std::string& reason, bool by_template = false)
        : std::runtime_error(reason), own(by_template)
    {
    }
    bool own; ///< true: by raise_exception(); false: by a rule of Jinja's
};

struct Macro;
struct Value;
using List = std::vector<Value>;
/// Members in the order of insertion. Keys are texts, or integers as text_of_key() has them.
using Map = std::vector<std::pair<std::string, Value>>;

struct Undefined {
    std::string name; ///< for messages
};
struct None {};
/// A list that cannot change, and equals no list.
struct Tuple {
    std::shared_ptr<List> items;
};
/// keys(), values() and items() of a map, and range(): no list, though it has a length. Only a
/// range has places.
struct View {
    std::shared_ptr<List> items;
    bool is_range = false;
};
struct Turns;
/// What filters such as map, select and reverse return: it has no length and no places, is true
/// even if empty, and gives its items once.
struct Iterator {
    std::shared_ptr<Turns> left;
};
/// Variables with members, the only values that a template can change.
struct Namespace {
    std::shared_ptr<Map> members;
};
/// A function of the interpreter, or a method with the value that it belongs to.
struct Function {
    std::string name;
    std::shared_ptr<const Value> self{};
};

struct Value {
    std::variant<Undefined, None, bool, std::int64_t, double, std::string, std::shared_ptr<List>,
                 Tuple, View, Iterator, std::shared_ptr<Map>, Namespace, Function,
                 std::shared_ptr<const Macro>>
        is;

    template <class T> [[nodiscard]] const T* as() const { return std::get_if<T>(&is); }
    [[nodiscard]] const std::string* text() const { return as<std::string>(); }
    /// Items of a list or a tuple.
    [[nodiscard]] const List* list() const
    {
        if (const auto* const tuple = as<Tuple>())
            return tuple->items.get();
        const auto* const held = as<std::shared_ptr<List>>();
        return held != nullptr ? held->get() : nullptr;
    }
    /// Items with places: of a list, a tuple or a range.
    [[nodiscard]] const List* places() const
    {
        const auto* const view = as<View>();
        return view != nullptr && view->is_range ? view->items.get() : list();
    }
    /// Items of a list, a tuple, a view or an iterator, which keeps them.
    [[nodiscard]] const List* elements() const;
    [[nodiscard]] const Map* map() const
    {
        const auto* const held = as<std::shared_ptr<Map>>();
        return held != nullptr ? held->get() : nullptr;
    }
    [[nodiscard]] bool defined() const { return as<Undefined>() == nullptr; }
};

struct Turns {
    List items;
    bool begun = false; ///< A loop or another iterator takes them: nobody knows how many are left.
};

Value of_list(List list);
Value of_tuple(List list);
Value of_view(List list, bool is_range = false);
Value of_iterator(List list);
Value of_map(Map map);
/// A key as a Map stores it; throws Unable for keys other than texts and integers.
std::string text_of_key(const Value& key);
Value value_of_key(const std::string& key);
/// A member, which may be undefined; null if the map has none of this name.
const Value* find(const Map& map, const std::string& name);
/// The member of a key: 1, 1.0 and true are one key. Throws Raised for a list or a map.
const Value* find(const Map& map, const Value& key);
/// Undefined, named for messages, if the map has no member of this name.
Value member(const Map& map, const std::string& name);
/// Bytes of text that each copy of the value has for itself. Lists and maps are shared.
std::size_t own_bytes(const Value& value);

/// Builds a map. A key that is set again keeps its place.
class MapBuilder {
public:
    void set(const std::string& key, const Value& value);
    Map take() { return std::move(map_); }

private:
    Map map_;
    std::unordered_map<std::string, std::size_t> places_;
};

bool truth(const Value& value);
bool equal(const Value& left, const Value& right);
/// Three-way order of numbers, texts or lists: negative, 0 or positive. Throws Raised or Unable for
/// others.
int order(const Value& left, const Value& right);
inline bool is_whole(const Value& value)
{
    return value.as<std::int64_t>() != nullptr || value.as<bool>() != nullptr;
}
/// An integer, or a boolean as 0 or 1. Throws Raised for others.
std::int64_t whole_of(const Value& value);
/// Returns whether `whole` contains `part`: as a substring, an item or a map's key. Consumes an
/// iterator's items up to and including `part`.
bool contains(const Value& whole, const Value& part);
/// Python's str() and repr(). Throw Unable for namespaces, views, iterators and functions, and for
/// texts beyond ASCII within lists and maps.
std::string printed(const Value& value);
std::string represented(const Value& value);
/// A number as Python writes it: 1.0, 1e+16.
std::string printed_real(double value);
/// Items of a list, keys of a map, characters of a text; none if undefined. An iterator has none
/// left.
List items(const Value& value);
/// Like items(), for a loop or an iterator, which takes one item after another. Nothing else can
/// use the value until all are taken.
List items_in_turn(const Value& value);

} // namespace levee::jinja
