// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/model_image.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/image_check.hpp"
#include "platform/input/model/image_layout.hpp"
#include "platform/input/model/quantize.hpp"

#include <algorithm>
#include <utility>

namespace levee {

ModelImage::ModelImage(std::vector<std::uint8_t> bytes, const levee_model_header& header,
                       const ModelShape& shape, std::vector<levee_tensor_entry> entries,
                       Tokenizer tokenizer)
    : bytes_(std::move(bytes)), header_(header), shape_(shape), entries_(std::move(entries)),
      tokenizer_(std::move(tokenizer))
{
}

ModelImage ModelImage::open(const std::filesystem::path& path)
{
    return parse(read_file(path), path.string());
}

ModelImage ModelImage::parse(std::vector<std::uint8_t> bytes, const std::string& source)
{
    const levee_model_header header = checked_header(bytes, source);
    auto entries = read_entries(bytes, header, source);
    const ModelShape shape = checked_shape(bytes, header, entries, source);
    check_tensors(header, shape, entries, source);
    Tokenizer tokenizer = Tokenizer::parse(
        std::span(bytes).subspan(header.tokenizer_offset, header.tokenizer_bytes), source);
    if (tokenizer.vocab() != shape.vocab) {
        throw ModelError(source + ": tokenizer.vocab: " + std::to_string(tokenizer.vocab()) +
                         ", expected header.vocab, " + std::to_string(shape.vocab));
    }
    return {std::move(bytes), header, shape, std::move(entries), std::move(tokenizer)};
}

ModelImage ModelImage::of_shape(const ModelShape& shape, const WeightFormat& weights,
                                const std::string& name)
{
    check_shape(shape, name);
    check_image_options(weights, name);
    ImageLayout layout = lay_out_image(shape, weights, name, 0);
    Tokenizer tokenizer(LEVEE_TOKENIZER_NONE, LEVEE_NO_TOKEN, LEVEE_NO_TOKEN, {}, name);
    std::vector<std::uint8_t> bytes = layout.bytes();
    append_layer_flags(shape, layout, bytes);
    return {std::move(bytes), layout.header, shape, std::move(layout.entries),
            std::move(tokenizer)};
}

std::string ModelImage::name() const
{
    return header_.name;
}

const levee_tensor_entry* ModelImage::find(levee_tensor_kind kind, std::uint32_t layer) const
{
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
        return entry.kind == std::uint32_t{kind} && entry.layer == layer;
    });
    return found == entries_.end() ? nullptr : &*found;
}

bool ModelImage::has(levee_tensor_kind kind, std::uint32_t layer) const
{
    return find(kind, layer) != nullptr;
}

TensorView ModelImage::tensor(levee_tensor_kind kind, std::uint32_t layer) const
{
    const levee_tensor_entry* entry = find(kind, layer);
    if (entry == nullptr) {
        throw ModelError("model '" + name() + "' has no tensor " + tensor_place(kind, layer));
    }
    if (!has_data()) {
        throw ModelError("model '" + name() + "' is only a shape: tensor " +
                         tensor_place(kind, layer) + " has no data");
    }
    const std::span<const std::uint8_t> all = bytes_;
    TensorView view{
        *entry, all.subspan(entry->data_offset, size_t{entry->rows} * entry->row_bytes), {}};
    if (entry->scale_offset != 0) {
        view.group = header_.weight_group;
        view.scales = {reinterpret_cast<const float*>(bytes_.data() + entry->scale_offset),
                       size_t{entry->rows} * view.scales_a_row()};
    }
    return view;
}

std::vector<float> ModelImage::values(levee_tensor_kind kind, std::uint32_t layer) const
{
    const TensorView view = tensor(kind, layer);
    std::vector<float> values(size_t{view.rows()} * view.cols());
    for (std::uint32_t row = 0; row < view.rows(); ++row) {
        unpack_row(view.row(row), view.format(), view.row_scales(row),
                   std::span(values).subspan(size_t{row} * view.cols(), view.cols()));
    }
    return values;
}

} // namespace levee
