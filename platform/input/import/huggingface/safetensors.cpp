// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/safetensors.hpp"

#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/import/stored_values.hpp"
#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <set>
#include <utility>

namespace levee::hf {

namespace {

constexpr std::uint64_t most_header_bytes = 100'000'000; // the format's own limit
constexpr std::size_t length_bytes = sizeof(std::uint64_t);
constexpr std::size_t values_at_once = 65536;

struct ElementType {
    const char* name;
    unsigned bytes;
};
constexpr std::array element_types{
    ElementType{"BOOL", 1},    ElementType{"U8", 1},      ElementType{"I8", 1},
    ElementType{"F8_E5M2", 1}, ElementType{"F8_E4M3", 1}, ElementType{"F8_E8M0", 1},
    ElementType{"I16", 2},     ElementType{"U16", 2},     ElementType{"F16", 2},
    ElementType{"BF16", 2},    ElementType{"I32", 4},     ElementType{"U32", 4},
    ElementType{"F32", 4},     ElementType{"F64", 8},     ElementType{"I64", 8},
    ElementType{"U64", 8}};

unsigned bytes_of_type(const JsonView& type)
{
    for (const ElementType& known : element_types)
        if (type.text() == known.name)
            return known.bytes;
    type.fail("a safetensors type such as F32, F16 or BF16");
}

std::uint64_t read_length(const InputFile& file, const std::string& source)
{
    if (file.size() < length_bytes)
        throw ModelError(source + ": " + std::to_string(file.size()) +
                         " bytes, expected the length of a safetensors header in the first 8");
    std::array<std::uint8_t, length_bytes> raw{};
    file.read(0, raw);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
        length |= std::uint64_t{raw[i]} << 8 * i;
    if (length > most_header_bytes || length > file.size() - length_bytes)
        throw ModelError(source + ": a header of " + std::to_string(length) +
                         " bytes, expected at most " +
                         std::to_string(std::min(most_header_bytes, file.size() - length_bytes)) +
                         " (is it a safetensors file, and whole?)");
    return length;
}

Json read_header(const InputFile& file, std::uint64_t length, const std::string& source)
{
    try {
        std::string text(length, '\0');
        file.read(length_bytes, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
        if (!text.starts_with('{'))
            throw ModelError(source +
                             ": the header does not begin with '{', expected a JSON object");
        return parse_object(text, source);
    } catch (const std::bad_alloc&) {
        throw ModelError(source + ": there is not enough memory to parse its header of " +
                         std::to_string(length) + " bytes");
    }
}

/// Returns the number of elements of a shape. The product cannot overflow, since a tensor larger
/// than the file is an error.
std::uint64_t elements_of(const JsonView& entry, unsigned bytes, std::uint64_t most_bytes,
                          std::vector<std::uint64_t>& shape)
{
    for (const JsonView& size : entry.at("shape").items())
        shape.push_back(size.whole());
    if (std::find(shape.begin(), shape.end(), 0U) != shape.end())
        return 0;
    std::uint64_t elements = 1;
    for (const std::uint64_t size : shape) {
        if (size > most_bytes / bytes / elements)
            entry.at("shape").fail("a tensor within the file's " + std::to_string(most_bytes) +
                                   " bytes");
        elements *= size;
    }
    return elements;
}

struct Extent {
    std::uint64_t begin, end;
    std::string name;
};

Extent read_extent(const JsonView& entry, const std::string& name, std::uint64_t needed,
                   std::uint64_t data_bytes)
{
    const JsonView offsets = entry.at("data_offsets");
    const std::vector<JsonView> both = offsets.items();
    if (both.size() != 2)
        offsets.fail("a begin and an end");
    const std::uint64_t begin = both[0].whole();
    const std::uint64_t end = both[1].whole();
    if (begin > end || end > data_bytes)
        offsets.fail("a begin and an end within the file's " + std::to_string(data_bytes) +
                     " bytes of data");
    if (end - begin != needed)
        offsets.fail(std::to_string(needed) + " bytes, as shape and type require");
    return {begin, end, name};
}

/// Checks that tensors fill the data, as the format requires: "the byte buffer needs to be entirely
/// indexed, and cannot contain holes".
void check_filled(std::vector<Extent> extents, std::uint64_t data_bytes, const std::string& source)
{
    std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const Extent& extent : extents) {
        if (extent.begin != end)
            throw ModelError(source + ": " + extent.name + ": data from byte " +
                             std::to_string(extent.begin) + ", expected " + std::to_string(end) +
                             ", where the tensor before it ends");
        end = extent.end;
    }
    if (end != data_bytes)
        throw ModelError(source + ": " + std::to_string(data_bytes - end) +
                         " bytes after the last tensor, expected none");
}

std::filesystem::path shard_path(const std::filesystem::path& folder, const JsonView& name)
{
    const std::filesystem::path file = name.text();
    if (file.filename() != file || file.extension() != ".safetensors")
        name.fail("the name of a .safetensors file in the same folder");
    return folder / file;
}

/// Adds the tensors of one file, which must be exactly the tensors that the index lists for it.
void add_shard(StoredTensors& tensors, const std::filesystem::path& file,
               const std::set<std::string>& expected, const std::string& index)
{
    StoredTensors stored = read_safetensors(file);
    for (const std::string& name : expected)
        if (!stored.contains(name))
            throw ModelError(index + ": weight_map." + name + ": '" + file.filename().string() +
                             "', which has no such tensor");
    for (auto& [name, tensor] : stored) {
        if (!expected.contains(name))
            throw ModelError(tensor_title(tensor, name) +
                             ": model.safetensors.index.json does not list this tensor for this "
                             "file, expected only tensors that it lists");
        tensors.emplace(name, std::move(tensor));
    }
}

StoredTensors read_shards(const std::filesystem::path& folder, const std::filesystem::path& index)
{
    const JsonFile json(index);
    std::map<std::filesystem::path, std::set<std::string>> shards;
    for (const auto& [name, file] : json.view().at("weight_map").entries())
        shards[shard_path(folder, file)].insert(name);
    StoredTensors tensors;
    for (const auto& [file, names] : shards)
        add_shard(tensors, file, names, index.string());
    return tensors;
}

float value_of(const std::uint8_t* raw, const std::string& type)
{
    if (type != "F32")
        return half_value(raw, type == "F16" ? HalfType::FP16 : HalfType::BF16);
    float value = 0.0F;
    std::memcpy(&value, raw, sizeof value);
    return value;
}

} // namespace

std::string shape_text(const std::vector<std::uint64_t>& shape)
{
    std::string text;
    for (const std::uint64_t size : shape)
        text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "[" + text + "]";
}

std::string tensor_title(const StoredTensor& tensor, const std::string& name)
{
    return tensor.file->path().string() + ": tensor " + name;
}

StoredTensors read_safetensors(const std::filesystem::path& path)
{
    const auto file = std::make_shared<const InputFile>(path);
    const std::string source = path.string();
    const std::uint64_t length = read_length(*file, source);
    const Json header = read_header(*file, length, source);
    const std::uint64_t data_bytes = file->size() - length_bytes - length;
    StoredTensors tensors;
    std::vector<Extent> extents;
    for (const auto& [name, entry] : JsonView(header, source).entries()) {
        if (name == "__metadata__") {
            for (const auto& [key, value] : entry.entries())
                (void)value.text();
            continue;
        }
        StoredTensor tensor;
        const unsigned bytes = bytes_of_type(entry.at("dtype"));
        tensor.type = entry.at("dtype").text();
        tensor.values = elements_of(entry, bytes, data_bytes, tensor.shape);
        extents.push_back(read_extent(entry, name, tensor.values * bytes, data_bytes));
        tensor.file = file;
        tensor.offset = length_bytes + length + extents.back().begin;
        tensors.emplace(name, std::move(tensor));
    }
    check_filled(std::move(extents), data_bytes, source);
    return tensors;
}

StoredTensors read_safetensors_folder(const std::filesystem::path& folder)
{
    const std::filesystem::path single = folder / "model.safetensors";
    const std::filesystem::path index = folder / "model.safetensors.index.json";
    if (std::filesystem::exists(single))
        return read_safetensors(single);
    if (std::filesystem::exists(index))
        return read_shards(folder, index);
    for (const char* other : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
        if (std::filesystem::exists(folder / other))
            throw ModelError((folder / other).string() +
                             ": a PyTorch file, expected model.safetensors (save_pretrained writes "
                             "it with safe_serialization=True)");
    throw ModelError(
        folder.string() +
        ": has neither model.safetensors nor model.safetensors.index.json, expected one");
}

bool is_readable(const StoredTensor& tensor)
{
    return tensor.type == "F32" || tensor.type == "F16" || tensor.type == "BF16";
}

void read_values(const StoredTensor& tensor, std::uint64_t first, std::span<float> out)
{
    if (!is_readable(tensor))
        throw ModelError(tensor.file->path().string() + ": values of type " + tensor.type +
                         ", expected F32, F16 or BF16");
    const std::size_t bytes = tensor.type == "F32" ? 4 : 2;
    std::vector<std::uint8_t> raw(std::min(out.size(), values_at_once) * bytes);
    while (!out.empty()) {
        const std::size_t count = std::min(out.size(), values_at_once);
        tensor.file->read(tensor.offset + first * bytes, std::span(raw).first(count * bytes));
        for (std::size_t i = 0; i < count; ++i)
            out[i] = value_of(raw.data() + i * bytes, tensor.type);
        out = out.subspan(count);
        first += count;
    }
}

void expect_tensor(const StoredTensor& tensor, const std::string& name,
                   const std::vector<std::uint64_t>& shape, const std::string& type)
{
    if (tensor.shape != shape)
        throw ModelError(tensor_title(tensor, name) + ": shape " + shape_text(tensor.shape) +
                         ", expected " + shape_text(shape) + " by config.json");
    if (type.empty() ? !is_readable(tensor) : tensor.type != type)
        throw ModelError(tensor_title(tensor, name) + ": type " + tensor.type + ", expected " +
                         (type.empty() ? "F32, F16 or BF16" : type));
}

} // namespace levee::hf
