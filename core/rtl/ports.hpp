// SPDX-License-Identifier: Apache-2.0
// The ports of a block's RTL. Each block's pins.hpp has a table of them, with one line per port.
// Everything else is generated from this table.
//
//   PORT(name, type, member, bits)           an input, and the member with its value
//   PORT(name, type, member, bits, "when")   an output, and when its value is valid (PortRow)
//   OFFER(name, type, member)                an input that is 1 if the member, a pointer, is not
//                                            null; the ports of its target are then driven
//   PART(type, member)                       a member with the values of several ports
//   EACH(type, member, lanes, valid, LIST)   lanes of an output: a vector of structs, whose members
//                                            are the ports of LIST; empty unless `valid`
//
// `bits` may use the design's `size`. each() (port_bits.hpp) is for ports with several lanes. The
// table does not list the clock clk_i and the reset rst_ni.
#pragma once

#include "core/rtl/port_bits.hpp"
#include "core/rtl/rtl_pins.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// A line of the table. An output's value is valid in a cycle if all conditions in `counts` hold,
/// or if `counts` is "always". A condition is one of: PIN, with one bit in total or one per lane of
/// the output; PIN=VALUE; PIN@CHANNEL=VALUE, which refers to the pin's value in the last transfer
/// on the channel.
struct PortRow {
    const char* name;
    PortBits bits;
    const char* counts = "";
};

/// Drives a design's inputs.
template <typename Top> struct DriveInputs {
    Top& top;
    bool offers = true;

    template <typename Value, typename Port>
    void operator()(const PortRow& row, const Value& value, Port port) const
    {
        if (offers || row.bits.has_idle_value)
            port::drive(port(top), value, row.bits);
    }
    template <typename Offer, typename Port, typename Size>
    void offer(const PortRow& row, const Offer* offered, Port port, const Size& size) const
    {
        static const Offer none{};
        (*this)(row, offered != nullptr, port);
        visit_ports(offered != nullptr ? *offered : none, size,
                    DriveInputs{top, offered != nullptr});
    }
};

/// Samples a design's outputs.
template <typename Top> struct SampleOutputs {
    const Top& top;

    template <typename Value, typename Port>
    void operator()(const PortRow& row, Value&& value, Port port) const
    {
        port::sample(port(top), value, row.bits);
    }
    template <typename Structs> void fit(Structs& structs, std::size_t lanes, bool valid) const
    {
        structs.resize(valid ? lanes : 0);
    }
};

/// Calls see(row, words) for each port with its value, lowest word first.
template <typename See> struct SeePorts {
    See see;

    template <typename Value, typename Port>
    void operator()(const PortRow& row, const Value& value, Port) const
    {
        constexpr std::size_t spare = port::spare_bytes / sizeof(std::uint32_t);
        const std::size_t count = (row.bits.total() + 31) / 32;
        std::vector<std::uint32_t> words(count + spare);
        port::add_value(reinterpret_cast<unsigned char*>(words.data()), value, row.bits);
        see(row, std::span<const std::uint32_t>(words).first(count));
    }
    template <typename Offer, typename Port, typename Size>
    void offer(const PortRow& row, const Offer* offered, Port port, const Size& size) const
    {
        (*this)(row, offered != nullptr, port);
        visit_ports(offered != nullptr ? *offered : Offer{}, size, *this);
    }
    template <typename Structs> void fit(Structs&, std::size_t, bool) const {}
};
// Clang before 17 cannot deduce the parameters of an aggregate (P1816).
template <typename See> SeePorts(See) -> SeePorts<See>;

/// A port of a design with fixed sizes.
struct RtlPort {
    std::string name;
    bool is_input = false;
    unsigned bits = 0;
    std::string counts; ///< Outputs: PortRow::counts.
};

/// All ports except clock and reset.
template <typename Ports> std::vector<RtlPort> ports_of(const typename Ports::Size& size)
{
    std::vector<RtlPort> all;
    const auto list = [&all](bool is_input) {
        return SeePorts{[&all, is_input](const PortRow& row, auto) {
            all.push_back({row.name, is_input, row.bits.total(), row.counts});
        }};
    };
    Ports::inputs(typename Ports::Inputs{}, size, list(true));
    Ports::outputs(typename Ports::Outputs{}, size, list(false));
    return all;
}

} // namespace levee

// Generates a struct's members from a list of ports, and functions that visit the ports.
#define LEVEE_MEMBER(port, type, member, ...) type member{};
#define LEVEE_MEMBER_OFFER(port, type, member) const type* member = nullptr;
#define LEVEE_MEMBER_PART(type, member) type member{};
#define LEVEE_MEMBER_EACH(type, member, lanes, valid, LIST) std::vector<type> member{};
#define LEVEE_MEMBERS(LIST)                                                                        \
    LIST(LEVEE_MEMBER, LEVEE_MEMBER_OFFER, LEVEE_MEMBER_PART, LEVEE_MEMBER_EACH)

#define LEVEE_AT(port)                                                                             \
    [](auto& top) -> auto&                                                                         \
    {                                                                                              \
        return top.port;                                                                           \
    }
#define LEVEE_VISIT(port, type, member, ...)                                                       \
    visit(levee::PortRow{#port, __VA_ARGS__}, of.member, LEVEE_AT(port));
#define LEVEE_VISIT_OFFER(port, type, member)                                                      \
    visit.offer(levee::PortRow{#port, 1}, of.member, LEVEE_AT(port), size);
#define LEVEE_VISIT_PART(type, member) visit_ports(of.member, size, visit);
#define LEVEE_VISIT_LANES(port, type, member, width, ...)                                          \
    visit(levee::PortRow{#port, levee::each(width, count), __VA_ARGS__},                           \
          levee::EachOf(                                                                           \
              structs, [](auto& one) -> auto& { return one.member; }),                             \
          LEVEE_AT(port));
#define LEVEE_VISIT_EACH(type, member, lanes, valid, LIST)                                         \
    {                                                                                              \
        auto& structs = of.member;                                                                 \
        const std::size_t count = lanes;                                                           \
        visit.fit(structs, count, of.valid);                                                       \
        LIST(LEVEE_VISIT_LANES)                                                                    \
    }
#define LEVEE_VISITS(LIST) LIST(LEVEE_VISIT, LEVEE_VISIT_OFFER, LEVEE_VISIT_PART, LEVEE_VISIT_EACH)

/// Declares that the ports of LIST belong to values of `type`, the type in OFFER or PART.
#define LEVEE_PORTS_IN(type, LIST)                                                                 \
    template <typename Of, typename Size, typename Visit>                                          \
    requires std::same_as<const Of, const type>                                                    \
    void visit_ports([[maybe_unused]] Of& of, [[maybe_unused]] const Size& size,                   \
                     const Visit& visit)                                                           \
    {                                                                                              \
        LEVEE_VISITS(LIST)                                                                         \
    }

/// Declares the boundary of a block: Inputs, Outputs, and designs of `size_type`, as listed in its
/// CMakeLists.txt. Inputs has the values driven in a cycle and is idle by default. Its pointers
/// must stay valid.
#define LEVEE_BOUNDARY(size_type, INPUTS, OUTPUTS)                                                 \
    struct Ports {                                                                                 \
        using Size = size_type;                                                                    \
        struct Inputs {                                                                            \
            LEVEE_MEMBERS(INPUTS)                                                                  \
        };                                                                                         \
        struct Outputs {                                                                           \
            LEVEE_MEMBERS(OUTPUTS)                                                                 \
        };                                                                                         \
        template <typename Visit>                                                                  \
        static void inputs(const Inputs& of, [[maybe_unused]] const Size& size,                    \
                           const Visit& visit)                                                     \
        {                                                                                          \
            LEVEE_VISITS(INPUTS)                                                                   \
        }                                                                                          \
        template <typename Of, typename Visit>                                                     \
        static void outputs(Of&& of, [[maybe_unused]] const Size& size, const Visit& visit)        \
        {                                                                                          \
            LEVEE_VISITS(OUTPUTS)                                                                  \
        }                                                                                          \
        /** For `levee cosim`: makes a bench for any design with these pins; the seed also         \
         * determines the stimulus. */                                                             \
        static std::unique_ptr<levee::cosim::Bench>                                                \
        make_bench(levee::MakeRtlPins<Ports> make, const levee::RtlPinsOptions& options);          \
        static std::span<const levee::RtlChoice<Ports>> designs();                                 \
    };                                                                                             \
    using Inputs = Ports::Inputs;                                                                  \
    using Outputs = Ports::Outputs;                                                                \
    using Pins = levee::RtlPins<Ports>;                                                            \
    using MakePins = levee::MakeRtlPins<Ports>;                                                    \
    using Design = levee::RtlChoice<Ports>;                                                        \
    [[nodiscard]] inline std::span<const Design> designs()                                         \
    {                                                                                              \
        return Ports::designs();                                                                   \
    }
