// SPDX-License-Identifier: Apache-2.0
// Values of C++ in the bits of a port.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace levee {

/// Bits of a port: lanes of the same width, the first one lowest.
struct PortBits {
    unsigned width = 1, lanes = 1;
    bool has_idle_value = false; ///< Value of the port while nothing is offered, if it has a
                                 ///< default.

    constexpr PortBits(unsigned bits) : width(bits) {} // implicit: in tables
    constexpr PortBits(unsigned bits, unsigned count) : width(bits), lanes(count) {}
    [[nodiscard]] constexpr unsigned total() const { return width * lanes; }
};

/// Declares a port of `lanes` values, for tables.
[[nodiscard]] constexpr PortBits each(unsigned width, std::size_t lanes)
{
    return {width, static_cast<unsigned>(lanes)};
}

/// Declares a port that returns to its default while nothing is offered, for tables; other ports
/// keep the last offered value.
[[nodiscard]] constexpr PortBits else_default(PortBits bits)
{
    bits.has_idle_value = true;
    return bits;
}

/// SystemVerilog's $clog2.
[[nodiscard]] constexpr unsigned clog2(std::uint64_t number)
{
    return static_cast<unsigned>(std::bit_width(number - 1));
}

/// Values of a port's lanes: an array, a vector, EachOf.
template <typename Value>
concept PortLanes = requires(const Value& value)
{
    value.size();
    value[0];
};

/// A value of several fields in one lane: visit_fields(value, visit) calls visit(field, bits) for
/// each, the highest first.
template <typename Value>
concept PortFields = requires(Value& value)
{
    visit_fields(value, [](auto&, unsigned) {});
};

/// A member of each of several structs, as lanes. `Of`: a function that returns a reference to the
/// member.
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

/// Zero bytes available after those of a port when its bits are added or read.
constexpr std::size_t spare_bytes = 8;

/// Adds a number to bits that are 0, the lowest first.
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

/// Bits of an FP32 number. A port without the highest bit has no sign.
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

/// The bytes of lanes, if a value stores them like a port of this width; otherwise null.
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

/// Lanes that both a value and a port have.
template <typename Value> std::size_t lanes_of(const Value& value, const PortBits& bits)
{
    if constexpr (std::is_pointer_v<Value>)
        return value == nullptr ? 0 : bits.lanes;
    else
        return std::min<std::size_t>(value.size(), bits.lanes);
}

/// Writes a value to bits that are 0; lanes that it does not have stay 0.
template <typename Value>
void add_value(unsigned char* bytes, const Value& value, const PortBits& bits)
{
    if constexpr (std::is_pointer_v<Value> || PortLanes<Value>)
        for (std::size_t i = 0; i < lanes_of(value, bits); ++i)
            add_lane(bytes, i * bits.width, value[i], bits.width);
    else
        add_lane(bytes, 0, value, bits.width);
}

/// Drives a port of a Verilated design, whose bits above its width must be 0.
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

/// Reads a port into a value; a pointer is set to the words of the port.
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
