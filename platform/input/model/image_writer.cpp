// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/image_writer.hpp"

#include "core/numerics/numerics.hpp"
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

constexpr std::uint64_t values_at_once = 1U << 20; // values of a tensor that are in memory at a
                                                   // time, unless a row is longer

/// Receives an image's bytes in order.
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
        layout_.header.chat = source.chat;
    }

    /// Writes the whole image. Returns the checksum, which is not in the header yet.
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
                             " additional end-of-text tokens, expected at most " +
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

    /// Returns the values of a tensor whose elements are words.
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

    /// Writes a group's tensors without gaps, and then their scales.
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

    WeightFormat format_of(const TensorSpec& spec) const
    {
        if (spec.role != TensorRole::matrix)
            return LEVEE_TYPE_FP32;
        WeightFormat format = weights_;
        if (format.scales == ScaleRule::Tensor && spec.layer == LEVEE_NO_LAYER)
            format.scales = ScaleRule::Largest;
        return format;
    }

    /// Returns how many rows share a scale under ScaleRule::Tensor. A tensor of experts has several
    /// matrices.
    std::uint32_t rows_of_matrix(const TensorSpec& spec) const
    {
        switch (spec.kind) {
        case LEVEE_TENSOR_W_EXPERTS_UP: // Gates, too, are matrices of `hidden` rows.
            return source_.shape.hidden;
        case LEVEE_TENSOR_W_EXPERTS_DOWN:
            return source_.shape.dim;
        default:
            return spec.rows;
        }
    }

    /// Reads rows from `begin` to `end` some at a time into values_, and visits them.
    void for_each_rows(const TensorSpec& spec, std::uint32_t begin, std::uint32_t end, auto visit)
    {
        const auto most = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(values_at_once / spec.cols, 1, spec.rows));
        std::uint32_t rows = 0;
        for (std::uint32_t first = begin; first < end; first += rows) {
            const RowPlace place = place_of(spec, first);
            rows = std::min({most, end - first, place.together});
            values_.resize(size_t{rows} * spec.cols);
            source_.rows(spec, first, values_);
            visit(rows, place);
        }
    }

    void write_rows(const TensorSpec& spec, std::vector<float>& scales)
    {
        const WeightFormat format = format_of(spec);
        const std::uint32_t step =
            format.scales == ScaleRule::Tensor ? rows_of_matrix(spec) : spec.rows;
        for (std::uint32_t first = 0; first < spec.rows; first += step)
            write_matrix(spec, format, first, first + step, scales);
    }

    void write_matrix(const TensorSpec& spec, const WeightFormat& format, std::uint32_t begin,
                      std::uint32_t end, std::vector<float>& scales)
    {
        float largest = 0.0F;
        if (format.scales == ScaleRule::Tensor)
            for_each_rows(spec, begin, end, [&](std::uint32_t, const RowPlace&) {
                largest = std::max(largest, largest_magnitude(values_));
            });
        for_each_rows(spec, begin, end, [&](std::uint32_t rows, const RowPlace& place) {
            const PackedMatrix packed = pack_matrix(values_, rows, spec.cols, format, place.title,
                                                    static_cast<std::uint32_t>(place.row), largest);
            emit(packed.data);
            scales.insert(scales.end(), packed.scales.begin(), packed.scales.end());
        });
    }

    const ModelSource& source_;
    const WeightFormat weights_;
    const Sink& sink_;
    const ImageProgress& progress_;
    std::vector<std::uint8_t> tokenizer_;
    ImageLayout layout_;
    std::vector<float> values_;
    uLong crc_ = crc32_z(0, nullptr, 0); // computed with 0 in the checksum's own field, as the
                                         // format requires
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
