// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/image_writer.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/image_layout.hpp"
#include "platform/input/model/quantize.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace levee {

namespace {

constexpr std::uint64_t values_at_once = 1U << 20; // Values of a tensor in memory at a time, unless
                                                   // a row is longer.

/// Receives bytes from front to back.
using Sink = std::function<void(std::span<const std::uint8_t>)>;

template <typename T> std::span<const std::uint8_t> bytes_of_values(std::span<const T> values)
{
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

class ImageWriter {
public:
    /// All arguments must outlive the writer.
    ImageWriter(const ModelSource& source, const WeightFormat& weights, const Sink& sink,
                const ImageProgress& progress)
        : source_(source), weights_(weights), sink_(sink), progress_(progress),
          tokenizer_(source.tokenizer.serialize())
    {
        check_source(weights);
        layout_ = lay_out_image(source.shape, weights, source.name, tokenizer_.size());
        layout_.header.stops.count = static_cast<std::uint32_t>(source.stops.size());
        std::ranges::copy(source.stops, layout_.header.stops.tokens);
    }

    /// Writes everything; its checksum is still to be put into the header.
    std::uint32_t write()
    {
        emit(layout_.bytes());
        const levee_tensor_entry* entry = layout_.entries.data();
        for (const TensorGroup& group : required_tensors(source_.shape)) {
            write_group(group, entry);
            entry += group.size();
        }
        pad_to(layout_.header.tokenizer_offset);
        emit(tokenizer_);
        pad_to(layout_.header.image_bytes);
        return static_cast<std::uint32_t>(crc_);
    }

    std::uint64_t bytes() const { return at_; }

private:
    void check_source(const WeightFormat& weights) const
    {
        check_shape(source_.shape, source_.name);
        check_image_options(weights, source_.name);
        if (source_.tokenizer.vocab() != source_.shape.vocab) {
            throw ModelError(source_.name + ": tokenizer of " +
                             std::to_string(source_.tokenizer.vocab()) +
                             " tokens, expected the model's vocabulary of " +
                             std::to_string(source_.shape.vocab));
        }
        if (source_.stops.size() > LEVEE_MAX_STOPS)
            throw ModelError(source_.name + ": " + std::to_string(source_.stops.size()) +
                             " tokens that end a text beside the first, expected at most " +
                             std::to_string(LEVEE_MAX_STOPS));
        check_phases("ROPE_PHASE", source_.phases, source_.shape.rotated());
        check_phases("ROPE_PHASE_LOCAL", source_.local_phases, source_.shape.local_phases);
    }

    void check_phases(const std::string& name, const std::vector<std::uint32_t>& phases,
                      bool expected) const
    {
        const size_t count = expected ? source_.shape.rotary() / 2 : 0;
        if (phases.size() != count) {
            throw ModelError(source_.name + ": tensor " + name + ": " +
                             std::to_string(phases.size()) + " values, expected " +
                             std::to_string(count));
        }
    }

    /// Values of a tensor of words.
    std::span<const std::uint32_t> words_of(const TensorSpec& spec) const
    {
        switch (spec.kind) {
        case LEVEE_TENSOR_LAYER_FLAGS:
            return source_.shape.layer_flags;
        case LEVEE_TENSOR_ROPE_PHASE_LOCAL:
            return source_.local_phases;
        default:
            return source_.phases;
        }
    }

    void emit(std::span<const std::uint8_t> bytes)
    {
        crc_ = crc32_z(crc_, bytes.data(), bytes.size());
        at_ += bytes.size();
        sink_(bytes);
        if (progress_) {
            progress_(at_, layout_.header.image_bytes);
        }
    }

    void pad_to(std::uint64_t offset)
    {
        constexpr std::array<std::uint8_t, 64> zeros{};
        while (at_ < offset) {
            emit(std::span(zeros).first(std::min<std::uint64_t>(zeros.size(), offset - at_)));
        }
    }

    /// Tensors without a gap between them, then their scales.
    void write_group(const TensorGroup& group, const levee_tensor_entry* entries)
    {
        std::vector<float> scales;
        for (size_t i = 0; i < group.size(); ++i) {
            pad_to(entries[i].data_offset);
            if (group[i].role == TensorRole::words) {
                emit(bytes_of_values(words_of(group[i])));
            } else {
                write_rows(group[i], scales);
            }
        }
        if (!scales.empty()) {
            pad_to(entries[0].scale_offset);
            emit(bytes_of_values(std::span<const float>(scales)));
        }
    }

    RowPlace place_of(const TensorSpec& spec, std::uint32_t row) const
    {
        if (source_.place)
            return source_.place(spec, row);
        return {source_.name + ": tensor " + tensor_place(spec.kind, spec.layer), row};
    }

    void write_rows(const TensorSpec& spec, std::vector<float>& scales)
    {
        const WeightFormat format = spec.role == TensorRole::matrix ? weights_ : LEVEE_TYPE_FP32;
        const auto most = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(values_at_once / spec.cols, 1, spec.rows));
        std::uint32_t rows = 0;
        for (std::uint32_t first = 0; first < spec.rows; first += rows) {
            const RowPlace place = place_of(spec, first);
            rows = std::min({most, spec.rows - first, place.together});
            values_.resize(size_t{rows} * spec.cols);
            source_.rows(spec, first, values_);
            const PackedMatrix packed = pack_matrix(values_, rows, spec.cols, format, place.title,
                                                    static_cast<std::uint32_t>(place.row));
            emit(packed.data);
            scales.insert(scales.end(), packed.scales.begin(), packed.scales.end());
        }
    }

    const ModelSource& source_;
    const WeightFormat weights_;
    const Sink& sink_;
    const ImageProgress& progress_;
    std::vector<std::uint8_t> tokenizer_;
    ImageLayout layout_;
    std::vector<float> values_;
    uLong crc_ = crc32_z(0, nullptr, 0); // Checksum, computed with 0 in its own field, as the
                                         // format requires.
    std::uint64_t at_ = 0;
};

} // namespace

std::uint64_t write_image(const ModelSource& source, const WeightFormat& weights,
                          const std::filesystem::path& path, const ImageProgress& progress)
{
    OutputFile file(path);
    const Sink sink = [&file](std::span<const std::uint8_t> bytes) { file.append(bytes); };
    ImageWriter writer(source, weights, sink, progress);
    const std::uint32_t crc = writer.write();
    file.patch(offsetof(levee_model_header, crc32),
               bytes_of_values(std::span<const std::uint32_t>(&crc, 1)));
    file.commit();
    return writer.bytes();
}

std::vector<std::uint8_t> image_in_memory(const ModelSource& source, const WeightFormat& weights)
{
    std::vector<std::uint8_t> image;
    const Sink sink = [&image](std::span<const std::uint8_t> bytes) {
        image.insert(image.end(), bytes.begin(), bytes.end());
    };
    const ImageProgress silent;
    const std::uint32_t crc = ImageWriter(source, weights, sink, silent).write();
    const auto raw = bytes_of_values(std::span<const std::uint32_t>(&crc, 1));
    std::copy(raw.begin(), raw.end(), image.begin() + offsetof(levee_model_header, crc32));
    return image;
}

} // namespace levee
