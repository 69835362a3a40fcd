// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/llama2c.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/image_builder.hpp"
#include "platform/input/model/rope_phase.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace levee {

namespace {

constexpr double rope_theta = 10000.0;            // llama2.c, run.c
constexpr std::uint32_t later_magic = 0x616B3432; // "ak42": versions 1 and 2 begin with it

using Header = std::array<std::int32_t, 7>; // dim, hidden, layers, heads, kv_heads, vocab, context
constexpr std::array header_fields{"dim",        "hidden_dim", "n_layers", "n_heads",
                                   "n_kv_heads", "vocab_size", "seq_len"};
constexpr size_t vocab_field = 5;

/// Refuses what begins as a file of another kind does.
void refuse_other_kinds(std::span<const std::uint8_t> bytes, const std::string& source)
{
    const std::pair<std::string_view, const char*> kinds[] = {
        {"GGUF", "a GGUF file (of llama.cpp)"},
        {"PK\x03\x04", "a PyTorch file (a zip archive)"},
        {"LVEM", "a model image, which needs no import"}};
    const std::string_view begin(reinterpret_cast<const char*>(bytes.data()),
                                 std::min<size_t>(bytes.size(), sizeof(std::uint32_t)));
    for (const auto& [magic, what] : kinds) {
        if (begin == magic) {
            throw ModelError(source + ": is " + what +
                             ", expected a llama2.c checkpoint (export.py --version 0)");
        }
    }
}

Header read_header(std::span<const std::uint8_t> bytes, const std::string& source)
{
    refuse_other_kinds(bytes, source);
    Header header{};
    if (bytes.size() < sizeof header) {
        throw ModelError(source + ": " + std::to_string(bytes.size()) +
                         " bytes, expected a llama2.c header of " + std::to_string(sizeof header));
    }
    std::memcpy(header.data(), bytes.data(), sizeof header);
    if (static_cast<std::uint32_t>(header[0]) == later_magic) {
        throw ModelError(source + ": header.magic: a llama2.c checkpoint of version " +
                         std::to_string(header[1]) +
                         ", expected version 0 (export.py --version 0)");
    }
    for (size_t field = 0; field < header.size(); ++field) {
        const bool fits = field == vocab_field ? header[field] != 0 && header[field] != INT32_MIN
                                               : header[field] > 0;
        if (!fits) {
            throw ModelError(source + ": header." + header_fields[field] + ": " +
                             std::to_string(header[field]) + ", expected " +
                             (field == vocab_field ? "not 0" : "1 or more"));
        }
    }
    return header;
}

ModelShape shape_of(const Header& header, const std::string& source)
{
    if (header[0] % header[3] != 0) {
        throw ModelError(source + ": header.n_heads: " + std::to_string(header[3]) +
                         ", expected a divisor of dim, " + std::to_string(header[0]));
    }
    const auto at = [&](size_t field) { return static_cast<std::uint32_t>(header[field]); };
    const std::int32_t vocab = header[vocab_field];
    ModelShape shape = llama_shape(at(0), at(1), at(2), at(3), at(4),
                                   static_cast<std::uint32_t>(vocab < 0 ? -vocab : vocab), at(6));
    shape.tied = vocab > 0;
    check_shape(shape, source);
    return shape;
}

/// The order of tensors in the file: kind by kind, within a kind layer by layer.
struct FilePart {
    levee_tensor_kind kind;
    bool per_layer;
};
constexpr std::array file_parts{
    FilePart{LEVEE_TENSOR_EMBEDDING, false}, FilePart{LEVEE_TENSOR_NORM_ATTENTION, true},
    FilePart{LEVEE_TENSOR_WQ, true},         FilePart{LEVEE_TENSOR_WK, true},
    FilePart{LEVEE_TENSOR_WV, true},         FilePart{LEVEE_TENSOR_WO, true},
    FilePart{LEVEE_TENSOR_NORM_FFN, true},   FilePart{LEVEE_TENSOR_W_GATE, true},
    FilePart{LEVEE_TENSOR_W_DOWN, true},     FilePart{LEVEE_TENSOR_W_UP, true},
    FilePart{LEVEE_TENSOR_NORM_FINAL, false}};

/// Values of one tensor of that kind: all its layers are alike.
std::uint64_t values_of(levee_tensor_kind kind, const std::vector<TensorGroup>& groups)
{
    for (const TensorGroup& group : groups) {
        for (const TensorSpec& spec : group) {
            if (spec.kind == kind) {
                return std::uint64_t{spec.rows} * spec.cols;
            }
        }
    }
    return 0;
}

/// cos and sin tables that old versions of run.c read; skipped here.
std::uint64_t legacy_values(const ModelShape& shape)
{
    return std::uint64_t{shape.max_context} * shape.head_dim;
}

void check_size(const ModelShape& shape, const std::vector<TensorGroup>& groups, size_t found,
                const std::string& source)
{
    std::uint64_t values = legacy_values(shape);
    for (const FilePart& part : file_parts) {
        values += values_of(part.kind, groups) * (part.per_layer ? shape.layers : 1);
    }
    values += values_of(LEVEE_TENSOR_CLASSIFIER, groups);
    const std::uint64_t expected = sizeof(Header) + values * sizeof(float);
    if (found != expected) {
        throw ModelError(source + ": " + std::to_string(found) + " bytes, expected " +
                         std::to_string(expected) + " for the shape in its header (vocab_size " +
                         (shape.tied ? "positive: classifier shared" : "negative: own classifier") +
                         ")");
    }
}

class ValueReader {
public:
    explicit ValueReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    std::vector<float> take(std::uint64_t count)
    {
        std::vector<float> values(count);
        std::memcpy(values.data(), bytes_.data(), count * sizeof(float));
        skip(count);
        return values;
    }

    void skip(std::uint64_t count) { bytes_ = bytes_.subspan(count * sizeof(float)); }

private:
    std::span<const std::uint8_t> bytes_;
};

} // namespace

std::vector<std::uint8_t> import_llama2c(const std::filesystem::path& model,
                                         const std::filesystem::path& tokenizer,
                                         const Llama2cOptions& options)
{
    const std::string source = model.string();
    const auto bytes = read_file(model);
    const ModelShape shape = shape_of(read_header(bytes, source), source);
    const auto groups = required_tensors(shape);
    check_size(shape, groups, bytes.size(), source);

    ImageBuilder builder(shape, options.weights,
                         options.name.empty() ? model.stem().string() : options.name);
    ValueReader values{std::span(bytes).subspan(sizeof(Header))};
    for (const FilePart& part : file_parts) {
        for (std::uint32_t i = 0; i < (part.per_layer ? shape.layers : 1); ++i) {
            builder.add(part.kind, part.per_layer ? i : LEVEE_NO_LAYER,
                        values.take(values_of(part.kind, groups)));
        }
    }
    values.skip(legacy_values(shape));
    if (!shape.tied) {
        builder.add(LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER,
                    values.take(values_of(LEVEE_TENSOR_CLASSIFIER, groups)));
    }
    builder.add_phases(rope_phases(shape.head_dim, rope_theta));
    return builder.build(Tokenizer::read_llama2c(tokenizer, shape.vocab, options.tokenizer));
}

} // namespace levee
