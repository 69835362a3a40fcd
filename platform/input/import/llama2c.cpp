// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/llama2c.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/file_kinds.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/rope_phase.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace levee {

namespace {

constexpr double llama2c_theta = 10000.0;         // RoPE base in run.c of llama2.c
constexpr std::uint32_t later_magic = 0x616B3432; // "ak42", with which versions 1 and 2 begin

using Fields = std::array<std::int32_t, 7>; // dim, hidden, layers, heads, kv_heads, vocab, context
constexpr std::array header_fields{"dim",        "hidden_dim", "n_layers", "n_heads",
                                   "n_kv_heads", "vocab_size", "seq_len"};
constexpr size_t vocab_field = 5;

// Header of versions 1 and 2. It has the magic, the version, the fields, one byte that states
// whether the classifier is shared, and in version 2 the group's size, which is not aligned.
constexpr size_t later_fields = 8;
constexpr size_t shared_byte = later_fields + sizeof(Fields);
constexpr size_t group_field = shared_byte + 1;
constexpr size_t later_header_bytes = 256;

struct Header {
    int version = 0;
    Fields fields{};
    bool shared = false;    ///< the embedding serves as classifier
    std::int64_t group = 0; ///< number of values that share a scale; 0: FP32
};

template <typename T> T value_at(std::span<const std::uint8_t> bytes, size_t at)
{
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Throws for a file that begins like a file of another kind.
void refuse_other_kinds(std::span<const std::uint8_t> bytes, const std::string& source)
{
    const std::string_view kind = kind_of_file(bytes);
    const bool is_later =
        bytes.size() >= sizeof later_magic && value_at<std::uint32_t>(bytes, 0) == later_magic;
    if (!kind.empty() && !is_later) {
        throw ModelError(source + ": is " + std::string(kind) + ", expected a llama2.c checkpoint");
    }
}

void check_fields(const Header& header, const std::string& source)
{
    for (size_t field = 0; field < header.fields.size(); ++field) {
        const std::int32_t value = header.fields[field];
        const bool signs = field == vocab_field && header.version == 0;
        if (signs ? value == 0 || value == INT32_MIN : value <= 0) {
            throw ModelError(source + ": header." + header_fields[field] + ": " +
                             std::to_string(value) + ", expected " +
                             (signs ? "not 0" : "1 or more"));
        }
    }
}

/// Reads a header of version 1 or 2.
Header later_header(const InputFile& file, std::span<const std::uint8_t> bytes,
                    const std::string& source)
{
    if (bytes.size() < later_header_bytes) {
        throw ModelError(source + ": " + std::to_string(file.size()) +
                         " bytes, expected a llama2.c header of " +
                         std::to_string(later_header_bytes));
    }
    Header header{value_at<std::int32_t>(bytes, 4), value_at<Fields>(bytes, later_fields),
                  bytes[shared_byte] != 0, 0};
    if (header.version != 1 && header.version != 2) {
        throw ModelError(source + ": header.version: " + std::to_string(header.version) +
                         ", expected a llama2.c checkpoint of version 0, 1 or 2");
    }
    if (bytes[shared_byte] > 1) {
        throw ModelError(source + ": header.shared_classifier: " +
                         std::to_string(bytes[shared_byte]) + ", expected 0 or 1");
    }
    if (header.version == 2) {
        header.group = value_at<std::int32_t>(bytes, group_field);
        if (header.group < 1) {
            throw ModelError(source + ": header.group_size: " + std::to_string(header.group) +
                             ", expected 1 or more");
        }
    }
    check_fields(header, source);
    return header;
}

Header read_header(const InputFile& file, const std::string& source)
{
    std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(file.size(), later_header_bytes));
    file.read(0, bytes);
    refuse_other_kinds(bytes, source);
    if (bytes.size() < sizeof(Fields)) {
        throw ModelError(source + ": " + std::to_string(bytes.size()) +
                         " bytes, expected a llama2.c header of " + std::to_string(sizeof(Fields)));
    }
    if (value_at<std::uint32_t>(bytes, 0) == later_magic) {
        return later_header(file, bytes, source);
    }
    Header header{0, value_at<Fields>(bytes, 0), false, 0};
    header.shared = header.fields[vocab_field] > 0;
    check_fields(header, source);
    return header;
}

ModelShape shape_of(const Header& header, const std::string& source)
{
    const Fields& fields = header.fields;
    if (fields[0] % fields[3] != 0) {
        throw ModelError(source + ": header.n_heads: " + std::to_string(fields[3]) +
                         ", expected a divisor of dim, " + std::to_string(fields[0]));
    }
    const auto at = [&](size_t field) { return static_cast<std::uint32_t>(fields[field]); };
    const std::int32_t vocab = fields[vocab_field];
    ModelShape shape = llama_shape(at(0), at(1), at(2), at(3), at(4),
                                   static_cast<std::uint32_t>(vocab < 0 ? -vocab : vocab), at(6));
    shape.tied = header.shared;
    check_shape(shape, source);
    return shape;
}

/// The order of tensors in a file: by kind, then by layer.
struct FilePart {
    levee_tensor_kind kind;
    bool per_layer;
};
constexpr std::array first_order{
    FilePart{LEVEE_TENSOR_EMBEDDING, false}, FilePart{LEVEE_TENSOR_NORM_ATTENTION, true},
    FilePart{LEVEE_TENSOR_WQ, true},         FilePart{LEVEE_TENSOR_WK, true},
    FilePart{LEVEE_TENSOR_WV, true},         FilePart{LEVEE_TENSOR_WO, true},
    FilePart{LEVEE_TENSOR_NORM_FFN, true},   FilePart{LEVEE_TENSOR_W_GATE, true},
    FilePart{LEVEE_TENSOR_W_DOWN, true},     FilePart{LEVEE_TENSOR_W_UP, true},
    FilePart{LEVEE_TENSOR_NORM_FINAL, false}};
constexpr std::array later_order{FilePart{LEVEE_TENSOR_NORM_ATTENTION, true},
                                 FilePart{LEVEE_TENSOR_NORM_FFN, true},
                                 FilePart{LEVEE_TENSOR_NORM_FINAL, false},
                                 FilePart{LEVEE_TENSOR_EMBEDDING, false},
                                 FilePart{LEVEE_TENSOR_WQ, true},
                                 FilePart{LEVEE_TENSOR_WK, true},
                                 FilePart{LEVEE_TENSOR_WV, true},
                                 FilePart{LEVEE_TENSOR_WO, true},
                                 FilePart{LEVEE_TENSOR_W_GATE, true},
                                 FilePart{LEVEE_TENSOR_W_DOWN, true},
                                 FilePart{LEVEE_TENSOR_W_UP, true}};

/// Returns the number of values in the tables of cosines and sines before the classifier, in
/// version 0. Old versions of run.c read them; this importer skips them.
std::uint64_t legacy_values(const ModelShape& shape)
{
    return std::uint64_t{shape.max_context} * shape.head_dim;
}

/// Offsets of tensors in a file.
class FileLayout {
public:
    FileLayout(const Header& header, const ModelShape& shape, const std::string& source)
        : header_(header), end_(header.version == 0 ? sizeof(Fields) : later_header_bytes)
    {
        for (const TensorGroup& group : required_tensors(shape)) {
            for (const TensorSpec& spec : group) {
                specs_.emplace(std::pair(spec.layer, spec.kind), spec);
            }
        }
        const std::span<const FilePart> order =
            header.version == 0 ? std::span<const FilePart>(first_order) : later_order;
        for (const FilePart& part : order) {
            for (std::uint32_t i = 0; i < (part.per_layer ? shape.layers : 1); ++i) {
                place(part.kind, part.per_layer ? i : LEVEE_NO_LAYER, source);
            }
        }
        end_ += header.version == 0 ? legacy_values(shape) * sizeof(float) : 0;
        if (!shape.tied) {
            place(LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER, source);
        }
    }

    std::uint64_t bytes() const { return end_; }

    void read(const InputFile& file, const TensorSpec& spec, std::uint32_t first,
              std::span<float> out) const
    {
        const std::uint64_t begin = std::uint64_t{first} * spec.cols;
        const std::uint64_t offset = offsets_.at(std::pair(spec.layer, spec.kind));
        if (grouped(spec)) {
            read_groups(file, spec, offset, begin, out);
            return;
        }
        file.read(offset + begin * sizeof(float),
                  {reinterpret_cast<std::uint8_t*>(out.data()), out.size_bytes()});
    }

private:
    bool grouped(const TensorSpec& spec) const
    {
        return header_.group != 0 && spec.role == TensorRole::matrix;
    }

    void place(levee_tensor_kind kind, std::uint32_t layer, const std::string& source)
    {
        const TensorSpec& spec = specs_.at(std::pair(layer, kind));
        const std::uint64_t values = std::uint64_t{spec.rows} * spec.cols;
        offsets_.emplace(std::pair(layer, kind), end_);
        if (!grouped(spec)) {
            end_ += values * sizeof(float);
            return;
        }
        const auto group = static_cast<std::uint64_t>(header_.group);
        if (values % group != 0) {
            throw ModelError(source + ": header.group_size: " + std::to_string(group) +
                             ", expected a divisor of the " + std::to_string(values) +
                             " values of " + tensor_place(kind, layer));
        }
        end_ += values + values / group * sizeof(float);
    }

    /// Reads the codes, then one scale for each group. A group may begin within a row.
    void read_groups(const InputFile& file, const TensorSpec& spec, std::uint64_t offset,
                     std::uint64_t begin, std::span<float> out) const
    {
        const auto group = static_cast<std::uint64_t>(header_.group);
        const std::uint64_t first = begin / group;
        std::vector<std::uint8_t> codes(out.size());
        std::vector<float> scales((begin + out.size() + group - 1) / group - first);
        file.read(offset + begin, codes);
        const std::uint64_t values = std::uint64_t{spec.rows} * spec.cols;
        file.read(offset + values + first * sizeof(float),
                  {reinterpret_cast<std::uint8_t*>(scales.data()), scales.size() * sizeof(float)});
        for (size_t i = 0; i < out.size(); ++i) {
            const float scale = scales[(begin + i) / group - first];
            out[i] = static_cast<float>(static_cast<std::int8_t>(codes[i])) * scale;
        }
    }

    using Key = std::pair<std::uint32_t, levee_tensor_kind>; // layer, kind
    Header header_;
    std::map<Key, TensorSpec> specs_;
    std::map<Key, std::uint64_t> offsets_;
    std::uint64_t end_;
};

void check_size(const FileLayout& layout, const Header& header, std::uint64_t found,
                const std::string& source)
{
    if (found == layout.bytes()) {
        return;
    }
    const std::string classifier = header.shared ? "classifier shared" : "own classifier";
    const std::string why = header.version == 0
                                ? std::string("vocab_size ") +
                                      (header.shared ? "positive: " : "negative: ") + classifier
                                : "version " + std::to_string(header.version) + ", " + classifier;
    throw ModelError(source + ": " + std::to_string(found) + " bytes, expected " +
                     std::to_string(layout.bytes()) + " for the shape in its header (" + why + ")");
}

} // namespace

ModelSource llama2c_source(const std::filesystem::path& model,
                           const std::filesystem::path& tokenizer, const Llama2cOptions& options)
{
    const std::string source = model.string();
    const auto file = std::make_shared<const InputFile>(model);
    const Header header = read_header(*file, source);
    const ModelShape shape = shape_of(header, source);
    const auto layout = std::make_shared<const FileLayout>(header, shape, source);
    check_size(*layout, header, file->size(), source);
    return {.shape = shape,
            .name = options.name.empty() ? model.stem().string() : options.name,
            .tokenizer = Tokenizer::read_llama2c(tokenizer, shape.vocab, options.tokenizer),
            .phases = rope_phases(shape.head_dim, llama2c_theta),
            .rows = [file, layout](const TensorSpec& spec, std::uint32_t first,
                                   std::span<float> out) { layout->read(*file, spec, first, out); },
            .place{},
            .notes{}};
}

std::vector<std::uint8_t> import_llama2c(const std::filesystem::path& model,
                                         const std::filesystem::path& tokenizer,
                                         const Llama2cOptions& options)
{
    return image_in_memory(llama2c_source(model, tokenizer, options), options.weights);
}

} // namespace levee
