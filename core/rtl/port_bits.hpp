// SPDX-License-Identifier: Apache-2.0
// Conversion between C++ values and the bits of a port.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace levee {

/// Layout of a port: lanes of equal width, the first one in the lowest bits.
struct PortBits {
    unsigned width = 1, lanes = 1;
    bool has_idle_value = false; ///< The port has a default value while nothing is offered.

    constexpr PortBits(unsigned bits) : width(bits) {} // Implicit conversion, for tables.
    constexpr PortBits(unsigned bits, unsigned count) : width(bits), lanes(count) {}
    [[nodiscard]] constexpr unsigned total() const { return width * lanes; }
};

/// For the table of ports: declares a port of `lanes` values.
[[nodiscard]] constexpr PortBits each(unsigned width, std::size_t lanes)
{
    return {width, static_cast<unsigned>(lanes)};
}

/// For the table of ports: declares a port that returns to its default value while nothing is
/// offered. Other ports keep the last offered value.
[[nodiscard]] constexpr PortBits else_default(PortBits bits)
{
    bits.has_idle_value = true;
    return bits;
}

/// Same as SystemVerilog's $clog2.
[[nodiscard]] constexpr unsigned clog2(std::uint64_t number)
{
    return static_cast<unsigned>(std::bit_width(number - 1));
}

/// A value with several lanes: an array, a vector or EachOf.
template <typename Value>
concept PortLanes = requires(const Value& value)
{
    value.size();
    value[0];
};

/// A value with several fields in one lane. visit_fields(value, visit) calls visit(field, bits) for
/// each, from the highest bits down.
template <typename Value>
concept PortFields = requires(Value& value)
{
    visit_fields(value, [](auto&, unsigned) {});
};

/// Treats one member of each of several structs as a lane. `Of` is a function that returns a
/// reference to the member.
template <typename Structs, typename Of> class EachOf {
public:
    EachOf(Structs& structs, Of of) : structs_(structs), of_(of) {}
    [[nodiscard]] std::size_t size() const { return structs_.size(); }
    [[nodiscard]] auto& operator[](std::size_t i) const { return of_(structs_[i]); }

private:
    Structs& structs_;
    Of of_;
};

namespace port {

constexpr std::uint64_t low_bits(unsigned count)
{
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Zero bytes that must follow the bytes of a port when its bits are written or read.
constexpr std::size_t spare_bytes = 8;

/// Writes a number to bits that are 0, lowest bit first.
inline void add_bits(unsigned char* bytes, std::size_t at, std::uint64_t number, unsigned width)
{
    constexpr unsigned most = 32;
    if (width > most) {
        add_bits(bytes, at, number, most);
        return add_bits(bytes, at + most, number >> most, width - most);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at / 8, sizeof word);
    word |= (number & low_bits(width)) << at % 8;
    std::memcpy(bytes + at / 8, &word, sizeof word);
}

inline std::uint64_t bits_at(const unsigned char* bytes, std::size_t at, unsigned width)
{
    constexpr unsigned most = 32;
    if (width > most)
        return bits_at(bytes, at, most) | bits_at(bytes, at + most, width - most) << most;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at / 8, sizeof word);
    return word >> at % 8 & low_bits(width);
}

/// Returns a number with the bits of an FP32 value, or of a value of another type. For an FP32
/// value, a port narrower than 32 bits omits the sign bit.
template <typename Value> std::uint64_t number_of(Value value)
{
    if constexpr (std::same_as<Value, float>)
        return std::bit_cast<std::uint32_t>(value);
    else
        return static_cast<std::uint64_t>(value);
}

template <typename Value> void set(Value& value, std::uint64_t number, unsigned width)
{
    if constexpr (std::same_as<Value, float>)
        value = std::bit_cast<float>(static_cast<std::uint32_t>(number));
    else if constexpr (std::is_signed_v<Value>)
        value = static_cast<Value>(static_cast<std::int64_t>(number << (64 - width)) >>
                                   static_cast<int>(64 - width));
    else
        value = static_cast<Value>(number);
}

template <typename Value>
void add_lane(unsigned char* bytes, std::size_t at, const Value& value, unsigned width)
{
    if constexpr (PortFields<const Value>) {
        std::size_t end = at + width;
        visit_fields(value, [&](const auto& field, unsigned bits) {
            add_bits(bytes, end -= bits, number_of(field), bits);
        });
    } else
        add_bits(bytes, at, number_of(value), width);
}

template <typename Value>
void take_lane(const unsigned char* bytes, std::size_t at, Value& value, unsigned width)
{
    if constexpr (PortFields<Value>) {
        std::size_t end = at + width;
        visit_fields(value, [&](auto& field, unsigned bits) {
            set(field, bits_at(bytes, end -= bits, bits), bits);
        });
    } else
        set(value, bits_at(bytes, at, width), width);
}

/// Returns a pointer to the bytes of the lanes if the value stores them in the same layout as a
/// port of this width; otherwise null.
template <typename Value> auto* bytes_alike(Value& value, unsigned width)
{
    using Byte = std::conditional_t<std::is_const_v<Value>, const unsigned char, unsigned char>;
    if constexpr (requires { value.data(); }) {
        using Lane = typename Value::value_type;
        if (std::is_integral_v<Lane> && width == 8 * sizeof(Lane))
            return reinterpret_cast<Byte*>(value.data());
    }
    return static_cast<Byte*>(nullptr);
}

/// Number of lanes that both the value and the port have.
template <typename Value> std::size_t lanes_of(const Value& value, const PortBits& bits)
{
    if constexpr (std::is_pointer_v<Value>)
        return value == nullptr ? 0 : bits.lanes;
    else
        return std::min<std::size_t>(value.size(), bits.lanes);
}

/// Writes a value to bits that are 0. Lanes that the value does not have stay 0.
template <typename Value>
void add_value(unsigned char* bytes, const Value& value, const PortBits& bits)
{
    if constexpr (std::is_pointer_v<Value> || PortLanes<Value>)
        for (std::size_t i = 0; i < lanes_of(value, bits); ++i)
            add_lane(bytes, i * bits.width, value[i], bits.width);
    else
        add_lane(bytes, 0, value, bits.width);
}

/// Drives a port of a Verilated design. Bits above its width must be 0.
template <typename Port, typename Value>
void drive(Port& port, const Value& value, const PortBits& bits)
{
    if constexpr (std::is_integral_v<Port> && !PortLanes<Value>) {
        port = static_cast<Port>(number_of(value) & low_bits(bits.width));
    } else if (const auto* const alike = bytes_alike(value, bits.width); alike != nullptr) {
        const std::size_t count = lanes_of(value, bits) * bits.width / 8;
        std::memcpy(&port, alike, count);
        std::memset(reinterpret_cast<unsigned char*>(&port) + count, 0, sizeof port - count);
    } else {
        unsigned char bytes[sizeof port + spare_bytes] = {};
        add_value(bytes, value, bits);
        std::memcpy(&port, bytes, sizeof port);
    }
}

/// Reads a port into a value. If the value is a pointer, it is set to the port's words.
template <typename Port, typename Value>
void sample(const Port& port, Value& value, const PortBits& bits)
{
    if constexpr (std::is_pointer_v<Value>) {
        value = reinterpret_cast<Value>(&port);
    } else if constexpr (std::is_integral_v<Port> && !PortLanes<Value>) {
        set(value, port, bits.width);
    } else if (auto* const alike = bytes_alike(value, bits.width); alike != nullptr) {
        std::memcpy(alike, &port, lanes_of(value, bits) * bits.width / 8);
    } else if (lanes_of(value, bits) != 0) {
        unsigned char bytes[sizeof port + spare_bytes] = {};
        std::memcpy(bytes, &port, sizeof port);
        for (std::size_t i = 0; i < lanes_of(value, bits); ++i)
            take_lane(bytes, i * bits.width, value[i], bits.width);
    }
}

} // namespace port

} // namespace levee
