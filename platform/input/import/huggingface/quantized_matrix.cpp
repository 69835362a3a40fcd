// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/quantized_matrix.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace levee::hf {

namespace {

using Shape = std::vector<std::uint64_t>;

constexpr std::uint64_t in_word = 8;             // four-bit codes in a word
constexpr std::uint64_t panel_bytes = 1U << 22U; // greatest number of bytes of codes in memory,
                                                 // unless eight rows have more

const StoredTensor& tensor_of(const StoredTensors& stored, const std::string& name,
                              const std::string& beside)
{
    const auto found = stored.find(name);
    if (found == stored.end())
        throw ModelError(tensor_title(stored.at(beside), beside) + ": has no tensor " + name +
                         ", which quantization_config requires");
    return found->second;
}

std::string base_of(const std::string& name)
{
    return name.substr(0, name.size() - std::string(".weight").size());
}

std::vector<std::uint32_t> words(const StoredTensor& tensor, std::uint64_t first,
                                 std::uint64_t count)
{
    std::vector<std::uint32_t> result(count);
    tensor.file->read(tensor.offset + first * sizeof(std::uint32_t),
                      {reinterpret_cast<std::uint8_t*>(result.data()), count * sizeof(result[0])});
    return result;
}

/// Four-bit codes in words of eight: w = (code - zero) * scale of its group of inputs.
///   qweight  AWQ: [inputs, outputs / 8], a word has codes of eight outputs, the even ones first
///            GPTQ: [inputs / 8, outputs], a word has codes of eight inputs, the first one lowest
///   qzeros   [groups, outputs / 8], in AWQ's order, or the first one lowest
///   scales   [groups, outputs]
///   g_idx    [inputs], GPTQ's group of each; absent: one after another
class FourBitMatrix : public QuantizedMatrix {
public:
    FourBitMatrix(const StoredTensors& stored, const Quantization& quantization,
                  const MatrixPlace& place)
        : quantization_(quantization), rows_(place.rows), cols_(place.cols)
    {
        const std::string base = base_of(place.name), name = base + ".qweight";
        codes_ = stored.at(name);
        const std::uint64_t group = quantization.group == 0 ? cols_ : quantization.group;
        if (rows_ % in_word != 0 || cols_ % in_word != 0 || cols_ % group != 0)
            throw ModelError(tensor_title(codes_, name) + ": has " + std::to_string(cols_) +
                             " inputs and " + std::to_string(rows_) +
                             " outputs; expected multiples of 8, and a number of inputs that is a "
                             "multiple of group_size, " +
                             std::to_string(group));
        groups_ = cols_ / group;
        expect_tensor(codes_, name,
                      is_awq() ? Shape{cols_, rows_ / in_word} : Shape{cols_ / in_word, rows_},
                      "I32");
        zeros_ = tensor_of(stored, base + ".qzeros", name);
        expect_tensor(zeros_, base + ".qzeros", {groups_, rows_ / in_word}, "I32");
        scales_ = tensor_of(stored, base + ".scales", name);
        expect_tensor(scales_, base + ".scales", {groups_, rows_}, "");
        find_groups(stored, base);
        panel_rows_ = std::min(
            rows_, std::max<std::uint64_t>(1, panel_bytes * 2 / cols_ / in_word) * in_word);
    }

    void read(std::uint64_t first, std::span<float> out) override
    {
        for (std::uint64_t row = first; !out.empty(); ++row, out = out.subspan(cols_)) {
            if (row < panel_ || row >= panel_ + panel_height_)
                load(row / in_word * in_word);
            const std::uint64_t at = row - panel_;
            for (std::uint64_t col = 0; col < cols_; ++col) {
                const std::uint64_t factor = group_of_[col] * panel_height_ + at;
                out[col] = static_cast<float>(code(at, col) - panel_zeros_[factor]) *
                           panel_scales_[factor];
            }
            if (row + 1 == rows_)
                release();
        }
    }

private:
    bool is_awq() const { return quantization_.packing == Packing::awq; }

    /// Returns the position of an output's code in its word, in AWQ's order.
    unsigned place_of_output(std::uint64_t output) const
    {
        const auto place = static_cast<unsigned>(output % in_word);
        return 4 * (is_awq() ? place / 2 + place % 2 * 4 : place);
    }

    int code(std::uint64_t row, std::uint64_t col) const
    {
        if (is_awq())
            return static_cast<int>(
                panel_codes_[(col * panel_height_ + row) / in_word] >> place_of_output(row) & 15U);
        return static_cast<int>(
            panel_codes_[col / in_word * panel_height_ + row] >> 4 * (col % in_word) & 15U);
    }

    void find_groups(const StoredTensors& stored, const std::string& base)
    {
        const std::string name = base + ".g_idx";
        if (is_awq() || (!quantization_.needs_order && !stored.contains(name)))
            return;
        order_ = tensor_of(stored, name, base + ".qweight");
        order_title_ = tensor_title(order_, name);
        expect_tensor(order_, name, {cols_}, "I32");
    }

    std::vector<std::uint32_t> groups_of_inputs() const
    {
        if (!order_title_.empty()) {
            std::vector<std::uint32_t> groups = words(order_, 0, cols_);
            for (const std::uint32_t group : groups)
                if (group >= groups_)
                    throw ModelError(order_title_ + ": group " +
                                     std::to_string(static_cast<std::int32_t>(group)) +
                                     ", expected 0 to " + std::to_string(groups_ - 1));
            return groups;
        }
        std::vector<std::uint32_t> groups(cols_);
        for (std::uint64_t col = 0; col < cols_; ++col)
            groups[col] = static_cast<std::uint32_t>(col / (cols_ / groups_));
        return groups;
    }

    /// Frees the memory. Matrices are read one after another, so this matrix is not read
    /// again.
    void release()
    {
        panel_height_ = 0;
        group_of_ = {};
        panel_codes_ = {};
        panel_scales_ = {};
        panel_zeros_ = {};
    }

    /// Loads the next rows (outputs), beginning with `first`, for all inputs. In the file, the
    /// codes of a row are not contiguous: each stored line has a few of its bytes.
    void load(std::uint64_t first)
    {
        group_of_ = groups_of_inputs();
        panel_ = first;
        panel_height_ = std::min(panel_rows_, rows_ - first);
        const std::uint64_t across = is_awq() ? in_word : 1; // number of outputs in a word
        panel_codes_.clear();
        for (std::uint64_t line = 0; line < codes_.shape[0]; ++line) {
            const auto part =
                words(codes_, (line * rows_ + first) / across, panel_height_ / across);
            panel_codes_.insert(panel_codes_.end(), part.begin(), part.end());
        }
        panel_scales_.resize(groups_ * panel_height_);
        panel_zeros_.clear();
        for (std::uint64_t group = 0; group < groups_; ++group) {
            read_values(scales_, group * rows_ + first,
                        std::span(panel_scales_).subspan(group * panel_height_, panel_height_));
            const auto zeros =
                words(zeros_, (group * rows_ + first) / in_word, panel_height_ / in_word);
            for (std::uint64_t row = 0; row < panel_height_; ++row) {
                const unsigned stored = zeros[row / in_word] >> place_of_output(row) & 15U;
                panel_zeros_.push_back(
                    static_cast<int>(stored + (quantization_.zeros_less_one ? 1 : 0)) & 15);
            }
        }
    }

    Quantization quantization_;
    std::uint64_t rows_, cols_, groups_ = 0;
    StoredTensor codes_, zeros_, scales_, order_;
    std::string order_title_; ///< empty: groups are consecutive

    std::uint64_t panel_rows_ = 0, panel_ = 0, panel_height_ = 0;
    std::vector<std::uint32_t> group_of_; ///< group of each input
    std::vector<std::uint32_t> panel_codes_;
    std::vector<float> panel_scales_; ///< [group, row]
    std::vector<int> panel_zeros_;
};

/// Decodes E4M3 without infinities; a code of all ones is not a number.
float e4m3_value(std::uint8_t bits)
{
    constexpr int bias = 7, mantissa_bits = 3;
    const int exponent = bits >> mantissa_bits & 15, mantissa = bits & 7;
    if (exponent == 15 && mantissa == 7)
        return std::numeric_limits<float>::quiet_NaN();
    const float value =
        exponent == 0
            ? std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits)
            : std::ldexp(static_cast<float>(8 + mantissa), exponent - bias - mantissa_bits);
    return bits >> 7 ? -value : value;
}

std::array<float, 256> e4m3_values()
{
    std::array<float, 256> values{};
    for (std::size_t bits = 0; bits < values.size(); ++bits)
        values[bits] = e4m3_value(static_cast<std::uint8_t>(bits));
    return values;
}

std::string scale_of(const std::string& base, const Quantization& quantization)
{
    return base + (quantization.block_rows != 0 ? ".weight_scale_inv" : ".weight_scale");
}

/// FP8 (E4M3) rows with scales. weight_scale_inv has a scale for each block; weight_scale has one
/// scale for all rows or one for each row.
class Fp8Matrix : public QuantizedMatrix {
public:
    Fp8Matrix(const StoredTensors& stored, const Quantization& quantization,
              const MatrixPlace& place)
        : codes_(stored.at(place.name)), cols_(place.cols)
    {
        expect_tensor(codes_, place.name, {place.rows, place.cols}, "F8_E4M3");
        const std::string base = base_of(place.name);
        const bool has_blocks = quantization.block_rows != 0;
        const std::string name = scale_of(base, quantization);
        const StoredTensor& scales = tensor_of(stored, name, place.name);
        const bool is_alone = scales.values == 1 && !has_blocks;
        block_rows_ = has_blocks ? quantization.block_rows : is_alone ? place.rows : 1;
        block_cols_ = has_blocks ? quantization.block_cols : cols_;
        const auto blocks = [](std::uint64_t size, std::uint64_t block) {
            return size / block + (size % block == 0 ? 0 : 1);
        };
        across_ = blocks(cols_, block_cols_);
        Shape expected{blocks(place.rows, block_rows_), across_};
        if (!has_blocks) // [], [1] or [1, 1]; [rows] or [rows, 1]
            expected.resize(std::min(expected.size(), scales.shape.size()));
        expect_tensor(scales, name, expected, "");
        scales_.resize(scales.values);
        read_values(scales, 0, scales_);
    }

    void read(std::uint64_t first, std::span<float> out) override
    {
        static const std::array<float, 256> values = e4m3_values();
        raw_.resize(cols_);
        for (std::uint64_t row = first; !out.empty(); ++row, out = out.subspan(cols_)) {
            codes_.file->read(codes_.offset + row * cols_, raw_);
            for (std::uint64_t col = 0; col < cols_; ++col)
                out[col] =
                    values[raw_[col]] * scales_[row / block_rows_ * across_ + col / block_cols_];
        }
    }

private:
    StoredTensor codes_;
    std::uint64_t cols_, block_rows_ = 0, block_cols_ = 0, across_ = 0;
    std::vector<float> scales_;
    std::vector<std::uint8_t> raw_;
};

} // namespace

std::vector<std::string> names_of_quantized(const StoredTensors& stored,
                                            const Quantization& quantization,
                                            const std::string& name)
{
    std::vector<std::string> names;
    if (quantization.packing == Packing::none || !name.ends_with(".weight"))
        return names;
    const std::string base = base_of(name);
    if (quantization.packing == Packing::fp8) {
        const auto found = stored.find(name);
        if (found != stored.end() && found->second.type == "F8_E4M3")
            names = {name, scale_of(base, quantization), base + ".input_scale"};
    } else if (stored.contains(base + ".qweight")) {
        names = {base + ".qweight", base + ".qzeros", base + ".scales", base + ".g_idx"};
    }
    return names;
}

std::shared_ptr<QuantizedMatrix> quantized_matrix(const StoredTensors& stored,
                                                  const Quantization& quantization,
                                                  const MatrixPlace& place)
{
    if (quantization.packing == Packing::fp8)
        return std::make_shared<Fp8Matrix>(stored, quantization, place);
    return std::make_shared<FourBitMatrix>(stored, quantization, place);
}

} // namespace levee::hf
