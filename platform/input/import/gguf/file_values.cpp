// SPDX-License-Identifier: Apache-2.0
// Values of keys.
#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/gguf/file.hpp"

#include <cmath>

namespace levee::gguf {

namespace {

constexpr std::uint64_t most_element_bytes = 65535; // Longest string that is read from an array.

} // namespace

std::vector<std::string> File::keys_of(const std::string& prefix) const
{
    std::vector<std::string> keys;
    for (auto at = values_.lower_bound(prefix);
         at != values_.end() && at->first.starts_with(prefix); ++at) {
        keys.push_back(at->first);
    }
    return keys;
}

std::optional<std::string> File::text(const std::string& key, std::uint64_t most) const
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return std::nullopt;
    }
    if (found->second.type != type_string) {
        fail_key(key, std::string("type ") + value_type_name(found->second.type) +
                          ", expected a string");
    }
    return Cursor(*file_, found->second.offset).take_string(most, "key " + printable(key));
}

std::uint64_t File::text_bytes(const std::string& key) const
{
    const auto found = values_.find(key);
    if (found == values_.end() || found->second.type != type_string) {
        return 0;
    }
    return Cursor(*file_, found->second.offset).take<std::uint64_t>("key " + printable(key));
}

std::vector<std::uint8_t> File::stored(const std::string& key) const
{
    const Value& value = values_.at(key);
    Cursor cursor(*file_, value.offset);
    const std::string place = "key " + printable(key);
    const std::uint32_t type = value.type == type_array ? value.element_type : value.type;
    const std::uint64_t count = value.type == type_array ? value.count : 1;
    if (type == type_array)
        fail_key(key, "an array of arrays, expected values in a file of several parts");
    std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(value.type),
                                    static_cast<std::uint8_t>(type)};
    for (unsigned shift = 0; shift < 64; shift += 8)
        bytes.push_back(static_cast<std::uint8_t>(count >> shift));
    for (std::uint64_t i = 0; i < count; ++i) {
        if (type == type_string) {
            const std::string text = cursor.take_string(most_element_bytes, place);
            bytes.insert(bytes.end(), text.begin(), text.end());
            bytes.push_back(0);
        }
        for (std::uint32_t byte = 0; byte < value_bytes(type); ++byte) {
            bytes.push_back(cursor.take<std::uint8_t>(place));
        }
    }
    return bytes;
}

std::optional<bool> File::flag(const std::string& key) const
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return std::nullopt;
    }
    if (found->second.type != type_bool) {
        fail_key(key,
                 std::string("type ") + value_type_name(found->second.type) + ", expected a bool");
    }
    const auto value = Cursor(*file_, found->second.offset).take<std::uint8_t>("key " + key);
    if (value > 1) {
        fail_key(key, "a bool of " + std::to_string(value) + ", expected 0 or 1");
    }
    return value == 1;
}

std::int64_t File::take_integer(Cursor& cursor, const std::string& key, std::uint32_t type) const
{
    const std::string place = "key " + printable(key);
    switch (type) {
    case type_uint8:
        return cursor.take<std::uint8_t>(place);
    case type_int8:
        return cursor.take<std::int8_t>(place);
    case type_uint16:
        return cursor.take<std::uint16_t>(place);
    case type_int16:
        return cursor.take<std::int16_t>(place);
    case type_uint32:
        return cursor.take<std::uint32_t>(place);
    case type_int32:
        return cursor.take<std::int32_t>(place);
    case type_uint64:
    case type_int64: {
        const auto value = cursor.take<std::int64_t>(place);
        if (type == type_uint64 && value < 0) {
            fail_key(key, "a uint64 above 2^63, expected one below");
        }
        return value;
    }
    default:
        fail_key(key, std::string("type ") + value_type_name(type) + ", expected an integer");
    }
}

std::uint64_t File::take_whole(Cursor& cursor, const std::string& key, std::uint32_t type) const
{
    const std::int64_t value = take_integer(cursor, key, type);
    if (value < 0) {
        fail_key(key, std::to_string(value) + ", expected 0 or more");
    }
    return static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> File::whole(const std::string& key) const
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return std::nullopt;
    }
    Cursor cursor(*file_, found->second.offset);
    return take_whole(cursor, key, found->second.type);
}

std::optional<std::uint64_t> File::whole_of_layers(const std::string& key,
                                                   std::uint32_t layers) const
{
    const auto found = values_.find(key);
    if (found == values_.end() || found->second.type != type_array) {
        return whole(key);
    }
    const Value& value = found->second;
    if (value.count != layers) {
        fail_key(key, "an array of " + std::to_string(value.count) + " for " +
                          std::to_string(layers) +
                          " layers (block_count), expected an integer, or one per layer");
    }
    Cursor cursor(*file_, value.offset);
    const std::uint64_t first = take_whole(cursor, key, value.element_type);
    for (std::uint64_t i = 1; i < value.count; ++i) {
        const std::uint64_t other = take_whole(cursor, key, value.element_type);
        if (other != first) {
            fail_key(
                key,
                std::to_string(other) + " for layer " + std::to_string(i) + ", expected " +
                    std::to_string(first) +
                    ", as for the layers before: Levee supports only one value for all layers");
        }
    }
    return first;
}

std::vector<bool> File::flags_of_layers(const std::string& key, std::uint32_t layers) const
{
    const auto found = values_.find(key);
    if (found == values_.end() || found->second.type != type_array) {
        return {};
    }
    const Value& value = found->second;
    if (value.count != layers || value.element_type != type_bool) {
        fail_key(key, "an array of " + std::to_string(value.count) + " " +
                          value_type_name(value.element_type) + ", expected one of " +
                          std::to_string(layers) + " bool, one per layer (block_count)");
    }
    std::vector<bool> flags;
    Cursor cursor(*file_, value.offset);
    for (std::uint64_t i = 0; i < value.count; ++i) {
        flags.push_back(cursor.take<std::uint8_t>("key " + key) != 0);
    }
    return flags;
}

std::optional<double> File::number(const std::string& key) const
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return std::nullopt;
    }
    const Value& value = found->second;
    Cursor cursor(*file_, value.offset);
    double result = 0;
    if (value.type == type_float32) {
        result = static_cast<double>(cursor.take<float>("key " + key));
    } else if (value.type == type_float64) {
        result = cursor.take<double>("key " + key);
    } else {
        result = static_cast<double>(take_integer(cursor, key, value.type));
    }
    if (!std::isfinite(result)) {
        fail_key(key, "not finite, expected a number");
    }
    return result;
}

const Value* File::array(const std::string& key, std::uint64_t most) const
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return nullptr;
    }
    if (found->second.type != type_array) {
        fail_key(key, std::string("type ") + value_type_name(found->second.type) +
                          ", expected an array");
    }
    if (found->second.count > most) {
        fail_key(key, std::to_string(found->second.count) + " elements, expected at most " +
                          std::to_string(most));
    }
    return &found->second;
}

std::vector<std::string> File::texts(const std::string& key, std::uint64_t most) const
{
    std::vector<std::string> result;
    const Value* value = array(key, most);
    if (value == nullptr) {
        return result;
    }
    if (value->count > 0 && value->element_type != type_string) {
        fail_key(key, std::string("an array of ") + value_type_name(value->element_type) +
                          ", expected one of strings");
    }
    Cursor cursor(*file_, value->offset);
    for (std::uint64_t i = 0; i < value->count; ++i) {
        result.push_back(cursor.take_string(
            most_element_bytes, "key " + printable(key) + ", element " + std::to_string(i)));
    }
    return result;
}

std::vector<float> File::numbers(const std::string& key, std::uint64_t most) const
{
    std::vector<float> result;
    const Value* value = array(key, most);
    if (value == nullptr) {
        return result;
    }
    if (value->count > 0 && value->element_type != type_float32) {
        fail_key(key, std::string("an array of ") + value_type_name(value->element_type) +
                          ", expected one of float32");
    }
    Cursor cursor(*file_, value->offset);
    for (std::uint64_t i = 0; i < value->count; ++i) {
        result.push_back(cursor.take<float>("key " + printable(key)));
    }
    return result;
}

std::vector<std::int64_t> File::integers(const std::string& key, std::uint64_t most) const
{
    std::vector<std::int64_t> result;
    const Value* value = array(key, most);
    if (value == nullptr) {
        return result;
    }
    Cursor cursor(*file_, value->offset);
    for (std::uint64_t i = 0; i < value->count; ++i) {
        result.push_back(take_integer(cursor, key, value->element_type));
    }
    return result;
}

} // namespace levee::gguf
