// SPDX-License-Identifier: Apache-2.0
// Writes GGUF files for tests by the specification (ggml/docs/gguf.md). Shares no code with the
// reader, not even for number formats.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace levee::test {

using Bytes = std::string;

template <typename T> Bytes raw(T value)
{
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline Bytes gguf_string(const std::string& text)
{
    return raw(std::uint64_t{text.size()}) + text;
}

/// Converts FP32 to the nearest FP16, ties to even, without infinities.
inline std::uint16_t half_of(float value)
{
    const double magnitude = std::fabs(static_cast<double>(value));
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    std::frexp(magnitude, &exponent); // The magnitude is in [0.5, 1) * 2^exponent.
    const int step = std::max(exponent - 11, -24);
    const double steps = std::nearbyint(std::ldexp(magnitude, -step));
    if (step == -24) // These are subnormal numbers or the smallest normal ones.
        return static_cast<std::uint16_t>(sign + static_cast<int>(steps));
    return static_cast<std::uint16_t>(sign + ((step + 24) << 10) + static_cast<int>(steps));
}

inline double half_value(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    const double value =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -value : value;
}

enum GgmlType : std::uint32_t { f32 = 0, f16 = 1, q4_0 = 2, q8_0 = 8, bf16 = 30 };

/// Quantises blocks of 32. The largest magnitude becomes 127 (or -8), the others the nearest code.
inline Bytes quantised(const std::vector<float>& values, GgmlType type)
{
    Bytes bytes;
    for (std::size_t block = 0; block < values.size(); block += 32) {
        float largest = 0;
        for (std::size_t i = 0; i < 32; ++i)
            largest =
                std::fabs(values[block + i]) > std::fabs(largest) ? values[block + i] : largest;
        const std::uint16_t d = half_of(type == q8_0 ? std::fabs(largest) / 127 : largest / -8);
        bytes += raw(d);
        const auto code = [&](std::size_t i, int least, int most) {
            const double scale = half_value(d);
            const double exact = scale == 0 ? 0 : static_cast<double>(values[block + i]) / scale;
            return std::clamp(static_cast<int>(std::nearbyint(exact)), least, most);
        };
        for (std::size_t i = 0; type == q8_0 && i < 32; ++i)
            bytes += raw(static_cast<std::int8_t>(code(i, -127, 127)));
        for (std::size_t i = 0; type == q4_0 && i < 16; ++i)
            bytes += raw(
                static_cast<std::uint8_t>((code(i, -8, 7) + 8) | ((code(i + 16, -8, 7) + 8) << 4)));
    }
    return bytes;
}

inline Bytes encoded(const std::vector<float>& values, GgmlType type)
{
    if (type == q8_0 || type == q4_0)
        return quantised(values, type);
    Bytes bytes;
    for (const float value : values) {
        if (type == f32)
            bytes += raw(value);
        else if (type == f16)
            bytes += raw(half_of(value));
        else
            bytes += raw(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    }
    return bytes;
}

class GgufWriter {
public:
    std::uint32_t version = 3;
    std::uint64_t alignment = 32;   ///< alignment of the data, which is also written as a key
    bool tensors_backwards = false; ///< Tensor data are in reverse order.
    bool pads_end = true;

    // Sets the value of a key. A second call replaces the first.
    void key(const std::string& name, std::uint32_t type, const Bytes& value)
    {
        const auto same = [&](const auto& entry) { return entry.first == name; };
        const Bytes whole = raw(type) + value;
        const auto found = std::find_if(keys_.begin(), keys_.end(), same);
        if (found == keys_.end())
            keys_.emplace_back(name, whole);
        else
            found->second = whole;
    }
    void u32(const std::string& name, std::uint32_t value) { key(name, 4, raw(value)); }
    void u64(const std::string& name, std::uint64_t value) { key(name, 10, raw(value)); }
    void number(const std::string& name, float value) { key(name, 6, raw(value)); }
    void flag(const std::string& name, bool value) { key(name, 7, raw(std::uint8_t{value})); }
    void text(const std::string& name, const std::string& value)
    {
        key(name, 8, gguf_string(value));
    }
    void texts(const std::string& name, const std::vector<std::string>& values)
    {
        Bytes bytes = raw(std::uint32_t{8}) + raw(std::uint64_t{values.size()});
        for (const std::string& value : values)
            bytes += gguf_string(value);
        key(name, 9, bytes);
    }
    template <typename T>
    void array(const std::string& name, std::uint32_t type, const std::vector<T>& values)
    {
        Bytes bytes = raw(type) + raw(std::uint64_t{values.size()});
        for (const T value : values)
            bytes += raw(value);
        key(name, 9, bytes);
    }
    void drop(const std::string& name)
    {
        std::erase_if(keys_, [&](const auto& entry) { return entry.first == name; });
    }
    void drop_tensor(const std::string& name)
    {
        std::erase_if(tensors_, [&](const Tensor& tensor) { return tensor.name == name; });
    }

    void tensor(const std::string& name, const std::vector<std::uint64_t>& dimensions,
                std::uint32_t type, const Bytes& data)
    {
        drop_tensor(name);
        tensors_.push_back({name, dimensions, type, data, 0, false});
    }
    /// Moves a tensor to another offset.
    void move(const std::string& name, std::uint64_t offset)
    {
        for (Tensor& tensor : tensors_)
            if (tensor.name == name) {
                tensor.offset = offset;
                tensor.moved = true;
            }
    }

    /// Returns the same model divided into several files. The first file has the keys; the tensors
    /// keep their order.
    std::vector<GgufWriter> split(std::uint16_t count) const
    {
        std::vector<GgufWriter> parts;
        for (std::uint16_t number = 0; number < count; ++number) {
            GgufWriter& part = parts.emplace_back(*this);
            if (number != 0)
                part.keys_.clear();
            part.tensors_.assign(tensors_.begin() + tensors_.size() * number / count,
                                 tensors_.begin() + tensors_.size() * (number + 1) / count);
            part.key("split.no", 2, raw(number));
            part.key("split.count", 2, raw(count));
            part.key("split.tensors.count", 5, raw(static_cast<std::int32_t>(tensors_.size())));
        }
        return parts;
    }

    /// Writes keys and tensors in reverse order.
    void reverse()
    {
        std::reverse(keys_.begin(), keys_.end());
        std::reverse(tensors_.begin(), tensors_.end());
    }

    Bytes bytes() const
    {
        std::vector<Tensor> tensors = tensors_;
        const Bytes data = placed(tensors);
        Bytes file = "GGUF" + raw(version) + raw(std::uint64_t{tensors.size()}) +
                     raw(std::uint64_t{keys_.size()});
        for (const auto& [name, value] : keys_)
            file += gguf_string(name) + value;
        for (const Tensor& tensor : tensors) {
            file += gguf_string(tensor.name) +
                    raw(static_cast<std::uint32_t>(tensor.dimensions.size()));
            for (const std::uint64_t dimension : tensor.dimensions)
                file += raw(dimension);
            file += raw(tensor.type) + raw(tensor.offset);
        }
        pad(file);
        return file + data;
    }

    void write(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes(); }

private:
    struct Tensor {
        std::string name;
        std::vector<std::uint64_t> dimensions;
        std::uint32_t type;
        Bytes data;
        std::uint64_t offset;
        bool moved;
    };

    void pad(Bytes& bytes) const
    {
        bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    }

    Bytes placed(std::vector<Tensor>& tensors) const
    {
        Bytes data;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            Tensor& tensor = tensors[tensors_backwards ? tensors.size() - 1 - i : i];
            pad(data);
            tensor.offset = tensor.moved ? tensor.offset : data.size();
            data += tensor.data;
        }
        if (pads_end)
            pad(data);
        return data;
    }

    std::vector<std::pair<std::string, Bytes>> keys_;
    std::vector<Tensor> tensors_;
};

} // namespace levee::test
