// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/file.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/model/file_kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <regex>
#include <string_view>
#include <utility>

namespace levee::gguf {

namespace {

constexpr std::uint64_t most_key_bytes = 65535; // the specification's limit
constexpr std::uint32_t most_dimensions = 4;
constexpr std::uint64_t default_alignment = 32;
constexpr std::uint64_t most_alignment = 1U << 30;
constexpr int most_nesting = 8; // greatest depth of nested arrays
const std::string total_key = "split.tensors.count";

/// Returns the least number of bytes that any value of a type takes.
std::uint64_t least_bytes(std::uint32_t type)
{
    constexpr std::uint64_t string_length = 8;
    constexpr std::uint64_t array_head = 12;
    return type == type_string  ? string_length
           : type == type_array ? array_head
                                : value_bytes(type);
}

std::uint32_t take_value_type(Cursor& cursor, const std::string& what)
{
    const auto type = cursor.take<std::uint32_t>(what);
    if (type >= type_count) {
        cursor.fail(what, "value type " + std::to_string(type) + ", expected 0 to " +
                              std::to_string(type_count - 1));
    }
    return type;
}

/// Skips a value. If it is an array, records in `value` where the array's elements are.
void skip_value(Cursor& cursor, Value& value, const std::string& what, int depth)
{
    value.offset = cursor.at();
    if (value.type == type_string) {
        cursor.skip_string(what);
        return;
    }
    if (value.type != type_array) {
        cursor.skip(value_bytes(value.type), what);
        return;
    }
    value.element_type = take_value_type(cursor, what);
    value.count = cursor.take_count(least_bytes(value.element_type), what);
    value.offset = cursor.at();
    if (depth >= most_nesting) {
        cursor.fail(what, "arrays within arrays, expected at most " + std::to_string(most_nesting) +
                              " deep");
    }
    if (const std::uint64_t bytes = value_bytes(value.element_type)) {
        cursor.skip(value.count * bytes, what);
        return;
    }
    for (std::uint64_t i = 0; i < value.count; ++i) {
        Value element{.type = value.element_type};
        skip_value(cursor, element, what, depth + 1);
    }
}

/// Throws for a file that is not GGUF. The message names the file's actual kind if it is known.
void check_magic(std::span<const std::uint8_t> begin, const std::string& source)
{
    constexpr std::string_view magic = "GGUF";
    if (std::ranges::equal(begin.first(magic.size()), magic)) {
        return;
    }
    const std::string_view kind = kind_of_file(begin);
    throw ModelError(source + (kind.empty() ? ": does not begin with GGUF, expected a GGUF file"
                                            : ": is " + std::string(kind) +
                                                  ", expected a little-endian GGUF file"));
}

void check_version(std::uint32_t version, const std::string& source)
{
    if (version == 2 || version == 3) {
        return;
    }
    const bool swapped = (version & 0xFFFFU) == 0 && version != 0;
    throw ModelError(
        source +
        ": header.version: " + (swapped ? "that of a big-endian file" : std::to_string(version)) +
        ", expected 2 or 3, little-endian" +
        (version == 1 ? " (version 1, of August 2023, stores counts in another format)" : ""));
}

/// Returns the digits "00003" of a name that ends like "-00002-of-00003.gguf".
std::optional<std::string> parts_in_name(const std::string& name)
{
    static const std::regex ending("-[0-9]{5,9}-of-([0-9]{5,9})\\.gguf$");
    std::smatch found;
    return std::regex_search(name, found, ending) ? std::optional(found[1].str()) : std::nullopt;
}

/// Returns an ending such as "-00002-of-00003.gguf". The numbers in it count from 1.
std::string part_ending(std::uint64_t number, std::uint64_t count)
{
    const auto padded = [](std::uint64_t value) {
        constexpr std::size_t digits = 5;
        const std::string text = std::to_string(value);
        return std::string(digits - std::min(digits, text.size()), '0') + text;
    };
    return "-" + padded(number + 1) + "-of-" + padded(count) + ".gguf";
}

} // namespace

std::uint64_t Tensor::row_bytes() const
{
    return dimensions[0] / type->block_values * type->block_bytes;
}

std::string Tensor::dimensions_text() const
{
    std::string text;
    for (const std::uint64_t dimension : dimensions) {
        text += (text.empty() ? "" : ", ") + std::to_string(dimension);
    }
    return "[" + text + "]";
}

File::File(const std::filesystem::path& path) : File(path, Alone::part)
{
    const std::uint64_t count = whole("split.count").value_or(1);
    if (count > 1)
        join_parts(count);
    else
        check_alone();
}

File::File(const std::filesystem::path& path, Alone)
    : file_(std::make_shared<const InputFile>(path)), source_(path.string())
{
    read_header();
}

void File::read_header()
{
    Cursor cursor(*file_, 0);
    cursor.skip(sizeof(std::uint32_t), "header.magic");
    std::vector<std::uint8_t> begin(std::min<std::uint64_t>(file_->size(), kind_bytes));
    file_->read(0, begin);
    check_magic(begin, source_);
    check_version(cursor.take<std::uint32_t>("header.version"), source_);
    // Least bytes of a tensor's entry (name, number of dimensions, one dimension, type, offset),
    // and of a key's entry (key, type, value).
    constexpr std::uint64_t least_tensor = 8 + 4 + 8 + 4 + 8;
    constexpr std::uint64_t least_key = 8 + 4 + 1;
    const std::uint64_t tensors = cursor.take_count(least_tensor, "header.tensor_count");
    const std::uint64_t keys = cursor.take_count(least_key, "header.metadata_kv_count");
    read_keys(cursor, keys);
    read_tensors(cursor, tensors);
    place_tensors(cursor.at());
}

void File::read_keys(Cursor& cursor, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string key =
            cursor.take_string(most_key_bytes, "the name of key " + std::to_string(i));
        const std::string place = "key " + printable(key);
        Value value{.type = take_value_type(cursor, place)};
        skip_value(cursor, value, place, 0);
        if (!values_.emplace(key, value).second) {
            fail_key(key, "given twice, expected once");
        }
    }
}

void File::read_tensors(Cursor& cursor, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string name =
            cursor.take_string(most_key_bytes, "the name of tensor " + std::to_string(i));
        if (!tensors_.emplace(name, read_tensor(cursor, name)).second) {
            fail_tensor(name, "given twice, expected once");
        }
    }
}

Tensor File::read_tensor(Cursor& cursor, const std::string& name) const
{
    const std::string place = "tensor " + printable(name);
    Tensor tensor{.name = name, .file = file_, .dimensions{}};
    const auto dimensions = cursor.take<std::uint32_t>(place);
    if (dimensions < 1 || dimensions > most_dimensions) {
        fail_tensor(name, std::to_string(dimensions) + " dimensions, expected 1 to " +
                              std::to_string(most_dimensions));
    }
    std::uint64_t values = 1;
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / sizeof(float);
    for (std::uint32_t i = 0; i < dimensions; ++i) {
        const auto dimension = cursor.take<std::uint64_t>(place);
        if (dimension < 1 || dimension > most / values) {
            fail_tensor(name, "dimension " + std::to_string(i) + ": " + std::to_string(dimension) +
                                  ", expected 1 or more, and as many values as a file can hold");
        }
        values *= dimension;
        tensor.dimensions.push_back(dimension);
    }
    const auto type = cursor.take<std::uint32_t>(place);
    tensor.type = element_type(type);
    if (tensor.type == nullptr) {
        fail_tensor(name,
                    "type " + element_type_text(type) + ", expected " + readable_types(" or "));
    }
    if (tensor.dimensions[0] % tensor.type->block_values != 0) {
        fail_tensor(name, "rows of " + std::to_string(tensor.dimensions[0]) +
                              " values, expected a multiple of the " +
                              std::to_string(tensor.type->block_values) + " of a block of " +
                              tensor.type->name);
    }
    tensor.bytes = values / tensor.type->block_values * tensor.type->block_bytes;
    tensor.offset = cursor.take<std::uint64_t>(place);
    return tensor;
}

void File::place_tensors(std::uint64_t infos_end)
{
    const std::string key = "general.alignment";
    const std::uint64_t alignment = whole(key).value_or(default_alignment);
    if (alignment < 8 || alignment % 8 != 0 || alignment > most_alignment) {
        fail_key(key, std::to_string(alignment) + ", expected a multiple of 8, at most " +
                          std::to_string(most_alignment));
    }
    const std::uint64_t data = (infos_end + alignment - 1) / alignment * alignment;
    const std::uint64_t room = file_->size() > data ? file_->size() - data : 0;
    std::map<std::uint64_t, const Tensor*> places;
    for (auto& [name, tensor] : tensors_) {
        if (tensor.offset % alignment != 0) {
            fail_tensor(name, "offset " + std::to_string(tensor.offset) +
                                  ", expected a multiple of the alignment, " +
                                  std::to_string(alignment));
        }
        if (tensor.offset > room || tensor.bytes > room - tensor.offset) {
            fail_tensor(name, std::to_string(tensor.bytes) + " bytes from byte " +
                                  std::to_string(tensor.offset) +
                                  " of the tensors' data, expected an end within its " +
                                  std::to_string(room) + " (is the file cut?)");
        }
        tensor.offset += data;
        if (!places.emplace(tensor.offset, &tensor).second) {
            fail_tensor(name, "begins where tensor " + printable(places[tensor.offset]->name) +
                                  " does, expected tensors that do not overlap");
        }
    }
    const Tensor* before = nullptr;
    for (const auto& [offset, tensor] : places) {
        if (before != nullptr && before->offset + before->bytes > offset) {
            fail_tensor(tensor->name, "begins within tensor " + printable(before->name) +
                                          ", expected tensors that do not overlap");
        }
        before = tensor;
    }
}

void File::read_rows(const Tensor& tensor, std::uint64_t first, std::span<float> out) const
{
    std::vector<std::uint8_t> blocks(out.size() / tensor.type->block_values *
                                     tensor.type->block_bytes);
    tensor.file->read(tensor.offset + first * tensor.row_bytes(), blocks);
    to_fp32(*tensor.type, blocks, out);
    check_blocks(tensor, first, out);
}

void File::check_blocks(const Tensor& tensor, std::uint64_t first,
                        std::span<const float> values) const
{
    const std::uint64_t in_block = tensor.type->block_values;
    if (in_block == 1) {
        return; // the image writer reports values that are not finite
    }
    const auto wrong = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
    if (wrong != values.end()) {
        const auto at = static_cast<std::uint64_t>(wrong - values.begin());
        const std::uint64_t cols = tensor.dimensions[0];
        fail_tensor(tensor.name, "row " + std::to_string(first + at / cols) + ", block " +
                                     std::to_string(at % cols / in_block) +
                                     ": a scale that is not finite, expected a number");
    }
}

/// Refuses a file that is one of several parts by its split.no, name or number of tensors, although
/// split.count does not say so.
void File::check_alone() const
{
    if (const auto number = whole("split.no"); number.value_or(0) != 0)
        fail_key("split.no", std::to_string(*number) + ", expected 0 for a model in a single file");
    const auto count = whole("split.count");
    const std::optional<std::string> parts = parts_in_name(source_);
    if (parts && *parts != "00001")
        fail_key("split.count", (count ? std::to_string(*count) : "absent") + ", expected " +
                                    *parts + ", as the name of this part of a model says");
    const auto total = whole(total_key);
    if (total && *total != tensors_.size())
        fail_key(total_key, std::to_string(*total) + ", expected " +
                                std::to_string(tensors_.size()) +
                                ", the number of tensors in this file");
}

void File::join_parts(std::uint64_t count)
{
    const std::string key = "split.no";
    const std::uint64_t number = whole(key).value_or(0);
    const std::string end = part_ending(number, count);
    if (number >= count) {
        fail_key(key, std::to_string(number) + ", expected one below split.count, " +
                          std::to_string(count));
    }
    if (!source_.ends_with(end)) {
        fail_key("split.count", std::to_string(count) +
                                    ": this file is one of several parts of a model, " +
                                    "expected a file name that ends with " + end +
                                    ", so that the other parts can be found");
    }
    std::vector<std::pair<std::string, std::optional<std::uint64_t>>> totals{
        {source_, whole(total_key)}};
    const std::string begin = source_.substr(0, source_.size() - end.size());
    if (number != 0) {
        fail_key(key, std::to_string(number) + ": part " + std::to_string(number + 1) + " of " +
                          std::to_string(count) + ", expected the first, " + begin +
                          part_ending(0, count));
    }
    for (std::uint64_t other = 1; other < count; ++other) {
        const std::string path = begin + part_ending(other, count);
        if (!std::filesystem::exists(path))
            throw ModelError(path + ": cannot be read: no such file, expected part " +
                             std::to_string(other + 1) + " of " + std::to_string(count) +
                             " of the model in the folder of " + source_);
        File part(path, Alone::part);
        join(part, other, count);
        totals.emplace_back(path, part.whole(total_key));
    }
    for (const auto& [path, total] : totals)
        if (total && *total != tensors_.size())
            throw ModelError(path + ": key " + total_key + ": " + std::to_string(*total) +
                             ", expected " + std::to_string(tensors_.size()) +
                             ", the number of tensors in all parts together");
}

/// Refuses a later part if a key of the architecture in it contradicts the first part.
void File::check_same_keys(const File& part) const
{
    const std::string architecture = text("general.architecture").value_or("");
    for (const std::string& key : part.keys_of(architecture + ".")) {
        if (values_.find(key) == values_.end())
            part.fail_key(key, "absent in " + source_ + ", expected in both files or in none");
        if (part.stored(key) != stored(key))
            part.fail_key(key, "another value than in " + source_ +
                                   ", expected the same in all parts that have the key");
    }
}

/// Adds the tensors of another part.
void File::join(File& part, std::uint64_t number, std::uint64_t count)
{
    const auto expect = [&](const std::string& key, std::uint64_t expected) {
        const auto found = part.whole(key);
        if (found != expected) {
            part.fail_key(key, (found ? std::to_string(*found) : "absent") + ", expected " +
                                   std::to_string(expected) + " in a part of " + source_);
        }
    };
    expect("split.no", number);
    expect("split.count", count);
    const auto architecture = part.text("general.architecture");
    if (architecture && architecture != text("general.architecture"))
        part.fail_key("general.architecture", "'" + printable(*architecture) + "', expected '" +
                                                  text("general.architecture").value_or("") +
                                                  "', as in " + source_);
    check_same_keys(part);
    for (auto& [name, tensor] : part.tensors_) {
        const auto [place, is_new] = tensors_.emplace(name, std::move(tensor));
        if (!is_new) {
            part.fail_tensor(name,
                             "also in " + place->second.file->path().string() + ", expected once");
        }
    }
}

void File::fail_key(const std::string& key, const std::string& what) const
{
    throw ModelError(source_ + ": key " + printable(key) + ": " + what);
}

std::string File::tensor_title(const std::string& name) const
{
    const auto found = tensors_.find(name);
    const bool is_elsewhere = found != tensors_.end() && found->second.file != nullptr;
    return (is_elsewhere ? found->second.file->path().string() : source_) + ": tensor " +
           printable(name);
}

void File::fail_tensor(const std::string& name, const std::string& what) const
{
    throw ModelError(tensor_title(name) + ": " + what);
}

} // namespace levee::gguf
