// SPDX-License-Identifier: Apache-2.0
// Makes a Verilated design of the arrays' boundary an object. Compiled once for each design:
// LEVEE_DESIGN, LEVEE_DESIGN_HEADER, LEVEE_DESIGN_ROWS, LEVEE_DESIGN_COLUMNS and the name of its
// maker, LEVEE_DESIGN_MAKER.
#include "ip/common/verilated_design.hpp"
#include "ip/veda/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <cstring>
#include <type_traits>
#include <vector>

namespace levee::veda {

namespace {

constexpr ArrayShape design_shape{2, LEVEE_DESIGN_ROWS, LEVEE_DESIGN_COLUMNS};

/// 16-bit lanes, lowest first, as a port has them and as the host does.
template <std::size_t words>
void store(VlWide<words>& port, const std::vector<std::uint16_t>& lanes)
{
    static_assert(words * sizeof(EData) == design_shape.lanes() * sizeof(std::uint16_t));
    std::memcpy(port.data(), lanes.data(), words * sizeof(EData));
}

/// One bit a lane.
template <typename Port> void store_bits(Port& port, const std::vector<std::uint8_t>& lanes)
{
    constexpr std::size_t word_bits = 32;
    std::uint32_t words[(design_shape.lanes() + word_bits - 1) / word_bits] = {};
    for (std::size_t i = 0; i < lanes.size(); ++i)
        words[i / word_bits] |= static_cast<std::uint32_t>(lanes[i]) << i % word_bits;
    if constexpr (std::is_integral_v<Port>)
        port = static_cast<Port>(words[0]);
    else
        std::memcpy(port.data(), words, sizeof words);
}

class VerilatedPins final : public Pins {
public:
    explicit VerilatedPins(const PinsOptions& options) : design_(options.seed, options.plusarg)
    {
        reset();
    }

    [[nodiscard]] const ArrayShape& shape() const override { return design_shape; }

    void reset() override
    {
        design_.reset([this] { settle({}); });
    }

    Outputs settle(const Inputs& in) override
    {
        LEVEE_DESIGN& top = design_.top();
        top.valid_i = in.beat != nullptr;
        top.ready_i = in.take_result;
        if (in.beat != nullptr)
            drive(*in.beat);
        design_.settle();
        return {top.ready_o != 0, top.valid_o != 0, top.outer_o != 0, top.en_o,
                top.result_o.data()};
    }

    void edge() override { design_.edge(); }
    void trace(const std::filesystem::path& fst) override { design_.trace(fst); }
    [[nodiscard]] std::uint64_t failed_assertions() const override
    {
        return design_.failed_assertions();
    }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override
    {
        return design_.coverage();
    }

private:
    void drive(const Beat& beat)
    {
        LEVEE_DESIGN& top = design_.top();
        top.outer_i = beat.configuration.mode == Mode::Outer;
        top.split_i = beat.configuration.split;
        top.narrow_i = beat.configuration.narrow;
        top.en_i = static_cast<CData>(beat.enabled);
        top.first_i = static_cast<CData>(beat.first);
        top.last_i = static_cast<CData>(beat.last);
        store_bits(top.lane_i, beat.lane);
        store(top.a_i, beat.a);
        store(top.b_i, beat.b);
    }

    VerilatedDesign<LEVEE_DESIGN> design_;
};

} // namespace

std::unique_ptr<Pins> LEVEE_DESIGN_MAKER(const PinsOptions& options)
{
    return std::make_unique<VerilatedPins>(options);
}

} // namespace levee::veda
