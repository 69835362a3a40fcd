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
    bool own; ///< true: by raise_exception(); false: by one of Jinja's rules
};

struct Macro;
struct Value;
using List = std::vector<Value>;
/// Members in the order of insertion. A key is a text; text_of_key() encodes integers as texts.
using Map = std::vector<std::pair<std::string, Value>>;

struct Undefined {
    std::string name; ///< for messages
};
struct None {};
/// A list that cannot change. It never equals a list.
struct Tuple {
    std::shared_ptr<List> items;
};
/// The result of keys(), values(), items() or range(): it has a length but is not a list. Only a
/// range can be indexed.
struct View {
    std::shared_ptr<List> items;
    bool is_range = false;
};
struct Turns;
/// The result of filters such as map, select and reverse. It has no length, cannot be indexed, is
/// true even if empty, and yields its items once.
struct Iterator {
    std::shared_ptr<Turns> left;
};
/// A namespace: variables as members, the only values that a template can change.
struct Namespace {
    std::shared_ptr<Map> members;
};
/// A function of the interpreter, or a method with the value to which it belongs.
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
    /// Returns the items of a list or a tuple; null for other values.
    [[nodiscard]] const List* list() const
    {
        if (const auto* const tuple = as<Tuple>())
            return tuple->items.get();
        const auto* const held = as<std::shared_ptr<List>>();
        return held != nullptr ? held->get() : nullptr;
    }
    /// Returns the items that can be indexed: of a list, a tuple or a range; null for other values.
    [[nodiscard]] const List* places() const
    {
        const auto* const view = as<View>();
        return view != nullptr && view->is_range ? view->items.get() : list();
    }
    /// Returns the items of a list, tuple, view or iterator, without consuming an iterator's items.
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
    bool begun = false; ///< a loop or another iterator is consuming the items, so their number is
                        ///< unknown
};

Value of_list(List list);
Value of_tuple(List list);
Value of_view(List list, bool is_range = false);
Value of_iterator(List list);
Value of_map(Map map);
/// Returns a key as a Map stores it. Throws Unable for keys other than texts and integers.
std::string text_of_key(const Value& key);
Value value_of_key(const std::string& key);
/// Returns a member, which may be undefined; null if the map has no member of this name.
const Value* find(const Map& map, const std::string& name);
/// Returns the member with this key; null if there is none. 1, 1.0 and true are the same key.
/// Throws Raised for a list or a map.
const Value* find(const Map& map, const Value& key);
/// Returns the member; if the map has none, an undefined value with the name for messages.
Value member(const Map& map, const std::string& name);
/// Returns the bytes of text that each copy of the value stores. Copies share lists and maps.
std::size_t own_bytes(const Value& value);

/// Builds a map. A key that is set again keeps its position.
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
/// Compares numbers, texts or lists: negative, 0 or positive. Throws Raised or Unable for other
/// values.
int order(const Value& left, const Value& right);
inline bool is_whole(const Value& value)
{
    return value.as<std::int64_t>() != nullptr || value.as<bool>() != nullptr;
}
/// Returns an integer; for a boolean, 0 or 1. Throws Raised for other values.
std::int64_t whole_of(const Value& value);
/// Returns whether `whole` contains `part`: as a substring, an item or a map's key. Consumes an
/// iterator's items up to and including `part`.
bool contains(const Value& whole, const Value& part);
/// Return Python's str() and repr(). Throw Unable for namespaces, views, iterators and functions,
/// and for texts beyond ASCII within lists and maps.
std::string printed(const Value& value);
std::string represented(const Value& value);
/// Returns a number as Python writes it: 1.0, 1e+16.
std::string printed_real(double value);
/// Returns the items of a list, keys of a map, or characters of a text; none if undefined. Consumes
/// all items of an iterator.
List items(const Value& value);
/// Like items(), for a loop or another iterator. An iterator cannot be used otherwise until all of
/// its items are consumed.
List items_in_turn(const Value& value);

} // namespace levee::jinja
