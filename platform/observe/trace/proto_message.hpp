// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace levee::trace {

/// The number of a field in a protocol buffer.
enum class ProtoField : std::uint32_t {};

/// A protocol buffer in wire format: a sequence of fields, with each field's number before its
/// value.
class ProtoMessage {
public:
    void add(ProtoField field, std::uint64_t value)
    {
        key(field, varint);
        put(value);
    }
    void add(ProtoField field, std::string_view text)
    {
        key(field, delimited);
        put(text.size());
        bytes_.append(text);
    }
    void add(ProtoField field, const ProtoMessage& message)
    {
        add(field, std::string_view(message.bytes_));
    }
    void add_fixed(ProtoField field, std::uint64_t value)
    {
        key(field, fixed64);
        for (unsigned byte = 0; byte < 8; ++byte)
            bytes_ += static_cast<char>(value >> 8 * byte);
    }
    void add_double(ProtoField field, double value);

    void clear() { bytes_.clear(); }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    enum Wire : std::uint32_t { varint = 0, fixed64 = 1, delimited = 2 };

    void key(ProtoField field, Wire wire) { put(static_cast<std::uint64_t>(field) << 3 | wire); }
    void put(std::uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

inline void ProtoMessage::add_double(ProtoField field, double value)
{
    static_assert(sizeof value == sizeof(std::uint64_t));
    add_fixed(field, __builtin_bit_cast(std::uint64_t, value));
}

} // namespace levee::trace
