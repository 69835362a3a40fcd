// SPDX-License-Identifier: Apache-2.0
// Makes a Verilated design of the evictor's boundary an object. Compiled once for each design:
// LEVEE_DESIGN, LEVEE_DESIGN_HEADER, LEVEE_DESIGN_ROWS and the name of its maker,
// LEVEE_DESIGN_MAKER.
#include "ip/common/verilated_design.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include LEVEE_DESIGN_HEADER

namespace levee::systolic_evictor {

namespace {

class VerilatedPins final : public Pins {
public:
    explicit VerilatedPins(const PinsOptions& options) : design_(options.seed, options.plusarg)
    {
        reset();
    }

    [[nodiscard]] std::size_t rows() const override { return LEVEE_DESIGN_ROWS; }

    void reset() override
    {
        design_.reset([this] { settle({}); });
    }

    Outputs settle(const Inputs& in) override
    {
        LEVEE_DESIGN& top = design_.top();
        top.cmd_valid_i = in.cmd_valid;
        top.cmd_rows_i = in.cmd_rows;
        top.cmd_base_i = in.cmd_base;
        top.cmd_signed_i = in.cmd_signed;
        top.cmd_chain_i = in.cmd_chain;
        top.cmd_found_i = in.cmd_found;
        top.cmd_min_i = in.cmd_min;
        top.cmd_index_i = in.cmd_index;
        top.load_valid_i = in.load_valid;
        top.load_score_i = in.load_score;
        top.load_protected_i = in.load_protected;
        top.score_valid_i = in.score_valid;
        top.score_i = in.score;
        top.result_ready_i = in.result_ready;
        top.update_ready_i = in.update_ready;
        design_.settle();
        return {top.cmd_ready_o != 0,    top.load_ready_o != 0,   top.score_ready_o != 0,
                top.result_valid_o != 0, top.result_found_o != 0, top.result_min_o,
                top.result_index_o,      top.update_valid_o != 0, top.update_score_o,
                top.update_last_o != 0};
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
    VerilatedDesign<LEVEE_DESIGN> design_;
};

} // namespace

std::unique_ptr<Pins> LEVEE_DESIGN_MAKER(const PinsOptions& options)
{
    return std::make_unique<VerilatedPins>(options);
}

} // namespace levee::systolic_evictor
