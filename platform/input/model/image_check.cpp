// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/image_check.hpp"

#include "platform/input/config/chat_templates.hpp"
#include "platform/input/model/file_kinds.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/quantize.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace levee {

namespace {

[[noreturn]] void fail(const std::string& source, const std::string& field,
                       const std::string& found, const std::string& expected)
{
    throw ModelError(source + ": " + field + ": " + found + ", expected " + expected);
}

void expect_equal(const std::string& source, const std::string& field, std::uint64_t found,
                  std::uint64_t expected)
{
    if (found != expected) {
        fail(source, field, std::to_string(found), std::to_string(expected));
    }
}

/// Throws ModelError for a header that was written before images had a format, since its fields
/// cannot be verified.
void refuse_unsealed(const levee_model_header& header, const std::string& source)
{
    if (header.format == LEVEE_MODEL_FORMAT) {
        return;
    }
    const std::string found = std::to_string(header.format);
    if (header.format != 0) {
        fail(source, "header.format", found, std::to_string(LEVEE_MODEL_FORMAT));
    }
    fail(source, "header.format", found,
         std::to_string(LEVEE_MODEL_FORMAT) +
             ": the checksum of this older image does not cover its header; import the model again "
             "(`levee import llama2c` or `synthetic`), or, if you are sure that the file is "
             "undamaged, run `levee import image OLD --out NEW`");
}

void check_extent(const std::string& source, const std::string& field, std::uint64_t offset,
                  std::uint64_t bytes, std::uint64_t image_bytes)
{
    if (offset > image_bytes || bytes > image_bytes - offset) {
        fail(source, field, std::to_string(bytes) + " bytes from " + std::to_string(offset),
             "an end within the image's " + std::to_string(image_bytes) + " bytes");
    }
}

/// Checks that a field has one of the values 1 to `most`, before it is converted to an enumerator.
void check_enumerator(const std::string& source, const char* field, std::uint32_t value,
                      std::uint32_t most)
{
    if (value < 1 || value > most) {
        fail(source, field, std::to_string(value), "1 to " + std::to_string(most));
    }
}

bool is_weight_type(std::uint32_t type)
{
    return is_weight_code(type) || type == LEVEE_TYPE_FP16 || type == LEVEE_TYPE_FP32;
}

/// Checks the weights' type and group. Before the structured version, the version itself says
/// whether weights have groups, since older firmware does not support groups.
void check_weights(const levee_model_header& header, const std::string& source)
{
    if (!is_weight_type(header.weight_type)) {
        fail(source, "header.weight_type", std::to_string(header.weight_type),
             "INT4 (1), INT8 (2), FP16 (4), FP32 (5) or INT3 (7)");
    }
    const bool structured = header.version == LEVEE_MODEL_VERSION_STRUCTURED;
    const bool grouped = header.version == LEVEE_MODEL_VERSION_GROUPED;
    if (!structured && grouped != (header.weight_group != 0)) {
        fail(source, "header.weight_group", std::to_string(header.weight_group),
             grouped ? "a power of 2 in version " + std::to_string(LEVEE_MODEL_VERSION_GROUPED)
                     : "0 in version " + std::to_string(header.version));
    }
    check_format({static_cast<levee_type>(header.weight_type), header.weight_group},
                 source + ": header.weight_group");
}

using EntryMap = std::map<std::pair<std::uint32_t, std::uint32_t>, const levee_tensor_entry*>;

class TensorChecker {
public:
    TensorChecker(const levee_model_header& header, std::span<const levee_tensor_entry> entries,
                  const std::string& source)
        : header_(header), source_(source)
    {
        for (const levee_tensor_entry& entry : entries) {
            if (!left_.emplace(std::pair(entry.layer, entry.kind), &entry).second) {
                fail(source, "tensor " + tensor_place(entry.kind, entry.layer), "given twice",
                     "once");
            }
        }
    }

    void check_group(const TensorGroup& group)
    {
        std::optional<std::uint64_t> data_end;
        std::optional<std::uint64_t> scale_end;
        for (const TensorSpec& spec : group) {
            place_ = "tensor " + tensor_place(spec.kind, spec.layer);
            const auto found = left_.find(std::pair(spec.layer, std::uint32_t{spec.kind}));
            if (found == left_.end()) {
                fail(source_, place_, "absent", "present in an image of this shape");
            }
            const levee_tensor_entry& entry = *found->second;
            check_type_and_size(spec, entry);
            data_end = check_part(".data_offset", entry.data_offset,
                                  std::uint64_t{entry.rows} * entry.row_bytes, data_end);
            check_scales(entry, scale_end);
            left_.erase(found);
        }
    }

    void check_none_left() const
    {
        if (!left_.empty()) {
            const levee_tensor_entry& entry = *left_.begin()->second;
            fail(source_,
                 "tensor " + tensor_place(entry.kind, entry.layer) + " (kind " +
                     std::to_string(entry.kind) + ")",
                 "present", "absent in an image of this shape");
        }
    }

private:
    levee_type type_of(const TensorSpec& spec) const
    {
        switch (spec.role) {
        case TensorRole::matrix:
            return static_cast<levee_type>(header_.weight_type);
        case TensorRole::words:
            return LEVEE_TYPE_UINT32;
        default:
            return LEVEE_TYPE_FP32;
        }
    }

    void check_type_and_size(const TensorSpec& spec, const levee_tensor_entry& entry) const
    {
        const levee_type type = type_of(spec);
        if (entry.type != std::uint32_t{type}) {
            fail(source_, place_ + ".type", type_name(entry.type), type_name(type));
        }
        expect_equal(source_, place_ + ".rows", entry.rows, spec.rows);
        expect_equal(source_, place_ + ".cols", entry.cols, spec.cols);
        const std::uint32_t row_bytes =
            type == LEVEE_TYPE_UINT32 ? 4 * spec.cols : packed_row_bytes(type, spec.cols);
        expect_equal(source_, place_ + ".row_bytes", entry.row_bytes, row_bytes);
    }

    // Checks the offset of data and returns the end of the data. Data that follow another tensor of
    // the same group must begin at `begin`.
    std::uint64_t check_part(const char* field, std::uint64_t offset, std::uint64_t bytes,
                             std::optional<std::uint64_t> begin) const
    {
        if (begin && offset != *begin) {
            fail(source_, place_ + field, std::to_string(offset),
                 std::to_string(*begin) + ", right after the tensor before it");
        }
        if (!begin && offset % section_alignment != 0) {
            fail(source_, place_ + field, std::to_string(offset),
                 "a multiple of " + std::to_string(section_alignment));
        }
        if (offset < sizeof(levee_model_header)) {
            fail(source_, place_ + field, std::to_string(offset),
                 "an offset after the header, from " + std::to_string(sizeof(levee_model_header)));
        }
        check_extent(source_, place_ + field, offset, bytes, header_.image_bytes);
        return offset + bytes;
    }

    void check_scales(const levee_tensor_entry& entry,
                      std::optional<std::uint64_t>& scale_end) const
    {
        const WeightFormat format(static_cast<levee_type>(entry.type), header_.weight_group);
        if (format.has_scales()) {
            const std::uint64_t count =
                std::uint64_t{entry.rows} * format.scales_of_row(entry.cols);
            scale_end =
                check_part(".scale_offset", entry.scale_offset, count * sizeof(float), scale_end);
        } else if (entry.scale_offset != 0) {
            fail(source_, place_ + ".scale_offset", std::to_string(entry.scale_offset),
                 std::string("0, as ") + type_name(entry.type) + " has no scales");
        }
    }

    const levee_model_header& header_;
    const std::string& source_;
    EntryMap left_;
    std::string place_;
};

} // namespace

std::uint32_t image_crc(std::span<const std::uint8_t> image)
{
    constexpr size_t field = offsetof(levee_model_header, crc32);
    constexpr std::array<std::uint8_t, sizeof levee_model_header::crc32> none{};
    uLong crc = crc32_z(crc32_z(0, nullptr, 0), image.data(), field);
    crc = crc32_z(crc, none.data(), none.size());
    const std::span<const std::uint8_t> rest = image.subspan(field + none.size());
    return static_cast<std::uint32_t>(crc32_z(crc, rest.data(), rest.size()));
}

namespace {

/// Throws ModelError for a file that is not a model image, and names its kind if it is known.
void check_magic(std::uint32_t magic, std::span<const std::uint8_t> file, const std::string& source)
{
    if (magic == LEVEE_MODEL_MAGIC) {
        return;
    }
    if (const std::string_view kind = kind_of_file(file.first(kind_bytes)); !kind.empty()) {
        throw ModelError(source + ": is " + std::string(kind) +
                         ", expected a model image, as `levee import` writes it");
    }
    fail(source, "header.magic", std::to_string(magic),
         std::to_string(LEVEE_MODEL_MAGIC) + " (a model image, as `levee import` writes it)");
}

} // namespace

namespace {

void check_stops(const levee_model_header& header, const std::string& source)
{
    const levee_stops& stops = header.stops;
    if (stops.count > LEVEE_MAX_STOPS)
        fail(source, "header.stops.count", std::to_string(stops.count),
             "at most " + std::to_string(LEVEE_MAX_STOPS));
    for (std::uint32_t i = 0; i < LEVEE_MAX_STOPS; ++i)
        if (i < stops.count ? stops.tokens[i] >= header.vocab : stops.tokens[i] != 0)
            fail(source, "header.stops.tokens[" + std::to_string(i) + "]",
                 std::to_string(stops.tokens[i]),
                 i < stops.count ? "a token below header.vocab, " + std::to_string(header.vocab)
                                 : "0, as there are " + std::to_string(stops.count));
}

void check_chat(const levee_model_header& header, const std::string& source)
{
    constexpr std::size_t known = std::size(config::chat_templates);
    if (header.chat > known && header.chat != LEVEE_CHAT_OTHER)
        fail(source, "header.chat", std::to_string(header.chat),
             "0 to " + std::to_string(known) + ", or " + std::to_string(LEVEE_CHAT_OTHER));
}

} // namespace

levee_model_header checked_header(std::span<const std::uint8_t> image, const std::string& source)
{
    levee_model_header header;
    if (image.size() < sizeof header) {
        fail(source, "file", std::to_string(image.size()) + " bytes",
             "at least " + std::to_string(sizeof header) + " for a model image's header");
    }
    std::memcpy(&header, image.data(), sizeof header);
    check_magic(header.magic, image, source);
    constexpr std::array versions{LEVEE_MODEL_VERSION, LEVEE_MODEL_VERSION_GROUPED,
                                  LEVEE_MODEL_VERSION_STRUCTURED};
    if (std::ranges::find(versions, header.version) == versions.end())
        fail(source, "header.version", std::to_string(header.version),
             std::to_string(versions[0]) + ", " + std::to_string(versions[1]) + " or " +
                 std::to_string(versions[2]));
    expect_equal(source, "header.header_bytes", header.header_bytes, sizeof header);
    if (header.image_bytes != image.size()) {
        fail(source, "header.image_bytes", std::to_string(header.image_bytes),
             "the file's " + std::to_string(image.size()) + " bytes (is the file cut?)");
    }
    refuse_unsealed(header, source);
    const std::uint32_t crc = image_crc(image);
    if (header.crc32 != crc) {
        fail(source, "header.crc32", std::to_string(header.crc32),
             std::to_string(crc) + " of the whole file (is it damaged?)");
    }
    check_weights(header, source);
    if (std::find(std::begin(header.name), std::end(header.name), '\0') == std::end(header.name)) {
        fail(source, "header.name", "without an end",
             "at most " + std::to_string(longest_model_name) + " bytes and a zero");
    }
    check_stops(header, source);
    check_chat(header, source);
    check_extent(source, "header.tokenizer_offset", header.tokenizer_offset, header.tokenizer_bytes,
                 header.image_bytes);
    if (header.tokenizer_offset % section_alignment != 0) {
        fail(source, "header.tokenizer_offset", std::to_string(header.tokenizer_offset),
             "a multiple of " + std::to_string(section_alignment));
    }
    return header;
}

std::vector<levee_tensor_entry> read_entries(std::span<const std::uint8_t> image,
                                             const levee_model_header& header,
                                             const std::string& source)
{
    const std::uint64_t bytes = std::uint64_t{header.tensor_count} * sizeof(levee_tensor_entry);
    check_extent(source, "header.tensor_offset", header.tensor_offset, bytes, header.image_bytes);
    if (header.tensor_offset % section_alignment != 0 ||
        header.tensor_offset < sizeof(levee_model_header)) {
        fail(source, "header.tensor_offset", std::to_string(header.tensor_offset),
             "a multiple of " + std::to_string(section_alignment) + " after the header");
    }
    std::vector<levee_tensor_entry> entries(header.tensor_count);
    if (!entries.empty()) {
        std::memcpy(entries.data(), image.data() + header.tensor_offset, bytes);
    }
    return entries;
}

namespace {

const levee_tensor_entry* find_kind(std::span<const levee_tensor_entry> entries, std::uint32_t kind)
{
    const auto found = std::ranges::find(entries, kind, &levee_tensor_entry::kind);
    return found == entries.end() ? nullptr : &*found;
}

std::vector<std::uint32_t> layer_flags(std::span<const std::uint8_t> image,
                                       const levee_model_header& header,
                                       std::span<const levee_tensor_entry> entries,
                                       const std::string& source)
{
    const levee_tensor_entry* const entry = find_kind(entries, LEVEE_TENSOR_LAYER_FLAGS);
    if (entry == nullptr)
        return {};
    const std::string place = "tensor LAYER_FLAGS";
    expect_equal(source, place + ".cols", entry->cols, header.layers);
    std::vector<std::uint32_t> flags(entry->cols);
    const std::uint64_t bytes = flags.size() * sizeof flags[0];
    check_extent(source, place + ".data_offset", entry->data_offset, bytes, header.image_bytes);
    std::memcpy(flags.data(), image.data() + entry->data_offset, bytes);
    return flags;
}

/// Derives the places of norms from the tensors that exist. All layers have norms at the same
/// places.
void read_norms(const levee_model_header& header, std::span<const levee_tensor_entry> entries,
                ModelShape& shape)
{
    const levee_tensor_entry* const query = find_kind(entries, LEVEE_TENSOR_NORM_QUERY);
    if (query != nullptr)
        shape.head_norm = query->cols == header.head_dim ? HeadNorm::head : HeadNorm::all;
    const bool before = find_kind(entries, LEVEE_TENSOR_NORM_ATTENTION) != nullptr;
    if (find_kind(entries, LEVEE_TENSOR_NORM_ATTENTION_AFTER) != nullptr)
        shape.norm_place = before ? NormPlace::both : NormPlace::after;
}

void read_structure(const levee_model_header& header, const std::string& source, ModelShape& shape)
{
    const levee_model_structure& structure = header.structure;
    constexpr std::uint32_t known =
        LEVEE_STRUCTURE_PARALLEL | LEVEE_STRUCTURE_AMONG_CHOSEN | LEVEE_STRUCTURE_SIGMOID;
    if ((structure.flags & ~known) != 0)
        fail(source, "header.structure.flags", std::to_string(structure.flags),
             "bits up to " + std::to_string(known));
    shape.rotary_dim = structure.rotated;
    shape.window = structure.window;
    shape.score_cap = structure.score_cap;
    shape.logit_cap = structure.logit_cap;
    shape.parallel = (structure.flags & LEVEE_STRUCTURE_PARALLEL) != 0;
    shape.experts = structure.experts;
    shape.chosen = structure.chosen;
    shape.among_chosen = (structure.flags & LEVEE_STRUCTURE_AMONG_CHOSEN) != 0;
    shape.sigmoid = (structure.flags & LEVEE_STRUCTURE_SIGMOID) != 0;
    shape.shared_hidden = structure.shared_hidden;
    shape.dense_hidden = structure.dense_hidden;
    shape.glu_limit = structure.glu_limit;
    shape.glu_alpha = structure.glu_alpha;
    shape.kv_latent = structure.kv_latent;
    shape.query_latent = structure.query_latent;
    shape.nope_dim = structure.nope_dim;
    shape.value_dim = structure.value_dim;
}

/// Returns whether any byte of the structure is nonzero.
bool is_set(const levee_model_structure& structure)
{
    return std::ranges::any_of(std::as_bytes(std::span(&structure, 1)),
                               [](std::byte byte) { return byte != std::byte{0}; });
}

} // namespace

ModelShape checked_shape(std::span<const std::uint8_t> image, const levee_model_header& header,
                         std::span<const levee_tensor_entry> entries, const std::string& source)
{
    const auto has = [&](std::uint32_t kind) { return find_kind(entries, kind) != nullptr; };
    check_enumerator(source, "header.norm", header.norm, LEVEE_NORM_LAYER);
    check_enumerator(source, "header.activation", header.activation, LEVEE_ACTIVATION_END - 1);
    check_enumerator(source, "header.position", header.position, LEVEE_POSITION_LEARNED);
    ModelShape shape;
    shape.dim = header.dim;
    shape.hidden = header.hidden;
    shape.layers = header.layers;
    shape.heads = header.heads;
    shape.kv_heads = header.kv_heads;
    shape.head_dim = header.head_dim;
    shape.vocab = header.vocab;
    shape.max_context = header.max_context;
    shape.norm = static_cast<levee_norm>(header.norm);
    shape.activation = static_cast<levee_activation>(header.activation);
    shape.position = static_cast<levee_position>(header.position);
    shape.norm_epsilon = header.norm_epsilon;
    shape.tied = !has(LEVEE_TENSOR_CLASSIFIER);
    shape.biases = has(LEVEE_TENSOR_BO) && has(LEVEE_TENSOR_B_DOWN);
    shape.attention_biases = has(LEVEE_TENSOR_BO) && !shape.biases;
    shape.qkv_biases = has(LEVEE_TENSOR_BQ) && !has(LEVEE_TENSOR_BO);
    shape.sinks = has(LEVEE_TENSOR_ATTENTION_SINKS);
    shape.router_bias = has(LEVEE_TENSOR_B_ROUTER);
    shape.choice_bias = has(LEVEE_TENSOR_ROUTER_CHOICE_BIAS);
    shape.expert_biases = has(LEVEE_TENSOR_B_EXPERTS_UP);
    shape.shared_gate = has(LEVEE_TENSOR_W_SHARED_GATE);
    if (header.version == LEVEE_MODEL_VERSION_STRUCTURED)
        read_structure(header, source, shape);
    else if (is_set(header.structure))
        fail(source, "header.structure", "set in version " + std::to_string(header.version),
             "0 in all versions but " + std::to_string(LEVEE_MODEL_VERSION_STRUCTURED));
    read_norms(header, entries, shape);
    shape.local_phases = has(LEVEE_TENSOR_ROPE_PHASE_LOCAL);
    shape.layer_flags = layer_flags(image, header, entries, source);
    check_shape(shape, source);
    return shape;
}

void check_tensors(const levee_model_header& header, const ModelShape& shape,
                   std::span<const levee_tensor_entry> entries, const std::string& source)
{
    TensorChecker checker(header, entries, source);
    for (const TensorGroup& group : required_tensors(shape)) {
        checker.check_group(group);
    }
    checker.check_none_left();
}

} // namespace levee
