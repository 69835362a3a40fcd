// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/compose.hpp"

#include "platform/input/config/shape_json.hpp"
#include "platform/input/config/turns_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace levee::config {

namespace fs = std::filesystem;

bool may_name_a_file(const std::string& key)
{
    return key == "system" || key == "tech" || key == "standard" || key == "retention" ||
           key == "statistics" || key == "shape" || key == "rtl" || key == "energy" ||
           key == "also" || key == "turns";
}

namespace {

/// Maximum number of values in all files together. Without a limit, files that name each other
/// repeatedly could multiply the number of values.
constexpr std::size_t most_values = 1'000'000;

/// Limits on nested files and nested YAML, since functions that walk through a tree are recursive.
constexpr std::size_t most_open = 64;  ///< longest chain of files that name each other
constexpr std::size_t most_parts = 64; ///< maximum number of parts between dots in a key's name
constexpr std::size_t deepest = 128;   ///< maximum depth of lists and maps, in all files together

struct Size {
    std::size_t values = 1, depth = 0;
};

Size size_of(const Node& node)
{
    Size all;
    const auto add = [&](const Node& inner) {
        const Size size = size_of(inner);
        all.values += size.values;
        all.depth = std::max(all.depth, size.depth + 1);
    };
    for (const Node& item : node.items)
        add(item);
    for (const Node::Entry& entry : node.entries)
        add(entry.value);
    return all;
}

class Composer {
public:
    explicit Composer(const FileFinder& finder) : finder_(finder) {}

    /// Loads a file and all files to which it refers.
    Node load(const fs::path& path, const Place* referrer)
    {
        const fs::path id = fs::weakly_canonical(path);
        if (std::find(open_.begin(), open_.end(), id) != open_.end())
            throw Error(*referrer, "'" + path.string() +
                                       "' refers to itself, directly or through "
                                       "the files it names");
        const auto known = loaded_.find(id);
        if (known != loaded_.end()) {
            count(known->second, referrer);
            return known->second;
        }
        if (open_.size() == most_open)
            throw Error(*referrer, "'" + path.string() + "': files name each other more than " +
                                       std::to_string(most_open) +
                                       " levels deep; expected fewer levels");
        open_.push_back(id);
        Node root = load_yaml(path, referrer);
        if (!root.is_map())
            throw Error(root.place, "the file holds " + std::string(root.kind_name()) +
                                        "; expected a map of keys and values");
        resolve(root);
        open_.pop_back();
        count(root, referrer);
        return loaded_.emplace(id, std::move(root)).first->second;
    }

    void apply(Node& root, const std::string& text)
    {
        const std::size_t equals = text.find('=');
        const auto file = std::make_shared<const std::string>(std::string(override_mark) + text);
        if (equals == std::string::npos || equals == 0)
            throw Error(*file + ": expected KEY=VALUE, as in --set system.core.clock=2GHz");
        Node value = parse_yaml(text.substr(equals + 1), *file);
        value.place = {file, 0, 0};
        resolve_value(kind_of(text.substr(0, equals)), value);
        set(root, text.substr(0, equals), file, std::move(value));
    }

private:
    void count(const Node& root, const Place* referrer)
    {
        const Size size = size_of(root);
        values_ += size.values;
        if (size.depth > deepest)
            throw Error(referrer != nullptr ? *referrer : root.place,
                        "lists and maps in the files named here are nested more than " +
                            std::to_string(deepest) + " deep; expected fewer levels");
        if (values_ > most_values)
            throw Error(referrer != nullptr ? *referrer : root.place,
                        "the files named here have more than " + std::to_string(most_values) +
                            " values; expected no file that names others repeatedly");
    }

    static std::string last_key(const std::string& path)
    {
        return path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
    }

    /// Returns the key that decides which files may be named at this path: the path's last key. An
    /// entry of a price list's `lists` is an exception: it is itself a price list, so its key is
    /// `energy`.
    static std::string kind_of(const std::string& path)
    {
        const std::string key = last_key(path);
        const std::string before = path.substr(0, path.size() - key.size());
        return before.ends_with("lists.") ? "energy" : key;
    }

    static void set(Node& root, const std::string& path,
                    const std::shared_ptr<const std::string>& file, Node value)
    {
        Node* node = &root;
        std::size_t begin = 0;
        if (static_cast<std::size_t>(std::ranges::count(path, '.')) >= most_parts)
            throw Error("--set: '" + shortened(path, 80) + "' has more than " +
                        std::to_string(most_parts) + " names between dots; expected fewer");
        while (true) {
            const std::size_t dot = path.find('.', begin);
            const std::string key = path.substr(begin, dot - begin);
            const Place place{file, 0, 0};
            if (key.empty())
                throw Error(place, "an empty name between dots; expected KEY.KEY=VALUE");
            if (value.unsets && node->is_map() && (dot == std::string::npos || !node->find(key)))
                return unset(*node, key, place, path);
            node = &step(*node, key, path.substr(0, begin ? begin - 1 : 0), place);
            if (dot == std::string::npos)
                break;
            if (node->is_null()) {
                node->kind = Node::Kind::Map;
                node->place = place;
            }
            begin = dot + 1;
        }
        *node = std::move(value);
    }

    /// Removes `key` from `map`. If the map does not have the key, throws an Error that names it by
    /// `path`.
    static void unset(Node& map, const std::string& key, const Place& place,
                      const std::string& path)
    {
        if (!map.find(key))
            throw nothing_to_unset(map, key, place, path);
        std::erase_if(map.entries, [&](const Node::Entry& entry) { return entry.key == key; });
    }

    static Error nothing_to_unset(const Node& map, const std::string& key, const Place& place,
                                  const std::string& path)
    {
        return {place, "there is no " + in_quotes(path) + " that null could unset" +
                           suggestion(key, map.keys())};
    }

    /// Returns the value of `key` in `node`. If a map lacks the key, the key is added without a
    /// value. The map's reader later checks whether the key is allowed.
    static Node& step(Node& node, const std::string& key, const std::string& path,
                      const Place& place)
    {
        if (node.is_list()) {
            const ListIndex index(key);
            if (!index.valid || index.value >= node.items.size())
                throw Error(place, "'" + path + "' is a list of " +
                                       std::to_string(node.items.size()) +
                                       "; expected an index from 0");
            return node.items[index.value];
        }
        if (!node.is_map())
            throw Error(place, "'" + path + "' is " + std::string(node.kind_name()) +
                                   "; it has no key '" + key + "'");
        if (Node* found = node.find(key))
            return *found;
        Node nothing;
        nothing.place = place;
        node.entries.push_back({key, place, std::move(nothing)});
        return node.entries.back().value;
    }

    struct ListIndex {
        explicit ListIndex(const std::string& text)
            : valid(!text.empty() && text.size() < 10 &&
                    text.find_first_not_of("0123456789") == std::string::npos),
              value(valid ? std::stoul(text) : 0)
        {
        }
        bool valid;
        std::size_t value;
    };

    void resolve(Node& node)
    {
        for (Node& item : node.items)
            resolve(item);
        if (std::optional<Node> base = base_of(node)) {
            merge(*base, std::move(node));
            node = std::move(*base);
            return;
        }
        for (Node::Entry& entry : node.entries)
            resolve_value(entry.key, entry.value);
    }

    void resolve_value(const std::string& key, Node& value)
    {
        if (value.is_scalar() && may_name_a_file(key))
            resolve_name(key, value);
        else if (key == "lists" && value.is_map())
            resolve_lists(value);
        else if (value.is_list())
            for (Node& item : value.items)
                resolve_value(key, item);
        else
            resolve(value);
    }

    /// Loads the price lists that a price list names for single types. The types are the keys.
    void resolve_lists(Node& lists)
    {
        for (Node::Entry& entry : lists.entries)
            resolve_value("energy", entry.value);
    }

    void resolve_name(const std::string& key, Node& value)
    {
        if (key == "turns" && is_turns_file(value.scalar))
            load_turns(value);
        else if (value.scalar.ends_with(".yaml"))
            value = load(finder_.file(value.scalar, value.place), &value.place);
        else if (key == "shape" && value.scalar.ends_with(".json"))
            value = shape_of_json(finder_.file(value.scalar, value.place), value.place);
        else if (key == "shape" && !value.scalar.empty() &&
                 finder_.existing(value.scalar + "/config.json", value.place))
            value = shape_of_json(finder_.file(value.scalar + "/config.json", value.place),
                                  value.place);
        else if (finder_.existing(value.scalar + ".yaml", value.place))
            throw Error(value.place, "'" + key + "' is " + in_quotes(value.scalar) +
                                         "; did you mean '" + value.scalar + ".yaml'?");
    }

    /// Loads the file of turns that this value names. The file is a list and cannot name other
    /// files.
    void load_turns(Node& value)
    {
        const Place referrer = value.place;
        value = turns_of_file(finder_.file(value.scalar, referrer), referrer);
        count(value, &referrer);
    }

    /// Removes `extends` from a map. Returns the content of the file that it names, with all files
    /// that this file names.
    std::optional<Node> base_of(Node& node)
    {
        const auto found = std::ranges::find(node.entries, base_key, &Node::Entry::key);
        if (found == node.entries.end())
            return std::nullopt;
        const Node name = std::move(found->value);
        node.entries.erase(found);
        if (!name.is_scalar())
            throw Error(name.place, "'extends' is " + std::string(name.kind_name()) +
                                        "; expected the name of a YAML file");
        return load(finder_.file(name.scalar, name.place), &name.place);
    }

    /// Returns whether this entry names a file that is complete by itself, such as prices, a
    /// standard or a shape. Such a file replaces the previous value, since a merge would mix keys
    /// of both.
    static bool is_whole(const Node::Entry& entry)
    {
        constexpr std::string_view keys[] = {"energy", "standard", "retention", "shape"};
        return std::ranges::find(keys, entry.key) != std::end(keys) &&
               entry.place.file != nullptr && entry.value.place.file != nullptr &&
               *entry.place.file != *entry.value.place.file;
    }

    /// The position of each key in a map, which keeps merging fast even with thousands of keys.
    using Places = std::unordered_map<std::string, std::size_t>;
    static Places places_in(const Node& map)
    {
        Places places;
        for (std::size_t i = 0; i < map.entries.size(); ++i)
            places.emplace(map.entries[i].key, i);
        return places;
    }
    static Node* value_of(Node& map, const Places& places, const std::string& key)
    {
        const auto found = places.find(key);
        return found != places.end() ? &map.entries[found->second].value : nullptr;
    }

    /// Adds price lists for single types. Each replaces the previous list for its type.
    static void replace_lists(Node& base, Node over)
    {
        const Places places = places_in(base);
        for (Node::Entry& entry : over.entries)
            if (Node* const old = value_of(base, places, entry.key))
                *old = std::move(entry.value);
            else
                base.entries.push_back(std::move(entry));
    }

    static bool of_maps(const Node* old, const Node::Entry& entry)
    {
        return old && old->is_map() && entry.value.is_map();
    }

    /// Merges `over` into `base`. Names of files in `over` are not yet resolved. If `over` extends
    /// another map, that map is merged before `over`, so that a null removes a key from both.
    void merge(Node& base, Node over)
    {
        if (std::optional<Node> between = base_of(over))
            merge(base, std::move(*between));
        base.place = over.place;
        const Places places = places_in(base);
        std::unordered_set<std::string> unsets;
        for (Node::Entry& entry : over.entries) {
            Node* const old = value_of(base, places, entry.key);
            if (entry.value.unsets && !old)
                throw nothing_to_unset(base, entry.key, entry.value.place, entry.key);
            if (!entry.value.unsets && (!of_maps(old, entry) || entry.key == "lists"))
                resolve_value(entry.key, entry.value);
            if (entry.value.unsets)
                unsets.insert(entry.key);
            else if (of_maps(old, entry) && entry.key == "lists")
                replace_lists(*old, std::move(entry.value));
            else if (of_maps(old, entry) && !is_whole(entry))
                merge(*old, std::move(entry.value));
            else if (old)
                *old = std::move(entry.value);
            else
                base.entries.push_back(std::move(entry));
        }
        std::erase_if(base.entries, [&](const Node::Entry& e) { return unsets.contains(e.key); });
    }

    const FileFinder& finder_;
    std::vector<fs::path> open_;
    std::map<fs::path, Node> loaded_; ///< all files loaded so far, with the files to which they
                                      ///< refer
    std::size_t values_ = 0;
};

} // namespace

Node compose(const fs::path& scenario, const FileFinder& finder,
             const std::vector<std::string>& overrides)
{
    const FileFinder own = finder.within(scenario.parent_path());
    Node root = Composer(own).load(scenario, nullptr);
    apply_overrides(root, own, overrides);
    return root;
}

void apply_overrides(Node& composed, const FileFinder& finder,
                     const std::vector<std::string>& overrides)
{
    Composer composer(finder);
    for (const std::string& text : overrides)
        composer.apply(composed, text);
}

} // namespace levee::config
