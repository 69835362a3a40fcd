// SPDX-License-Identifier: Apache-2.0
#include "test/twin/driver.hpp"

#include <string>

namespace levee::inverter {

std::vector<std::uint32_t> expected_of(std::uint32_t width, const Work& work)
{
    std::vector<std::uint32_t> result;
    for (const std::uint32_t word : work.words)
        result.push_back(~word & (0xFFFFFFFF >> (32 - width)));
    return result;
}

struct Driver::Progress {
    const std::vector<std::uint32_t>& words;
    const Options& options;
    std::vector<std::uint32_t> results;
    std::size_t taken = 0;
    /// The design has not taken the offered word yet, so the driver must keep offering it.
    bool is_offered = false;

    [[nodiscard]] bool done() const { return results.size() == words.size(); }
};

std::vector<std::uint32_t> Driver::run(const Work& work, const Options& options)
{
    Progress progress{work.words, options, {}};
    word_ = 0;
    drive(*this, progress, options);
    return progress.results;
}

Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1) | (progress.is_offered ? 1u : 0u);
    Inputs in;
    in.in_valid = progress.taken < progress.words.size() && (gates & 1) != 0;
    if (in.in_valid)
        in.in_data = progress.words[progress.taken];
    in.out_ready = (gates & 2) != 0;
    return in;
}

/// Returns true if at least one channel transfers a word at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const bool takes = in.in_valid && out.in_ready, gives = out.out_valid && in.out_ready;
    progress.is_offered = in.in_valid && !takes;
    progress.taken += takes ? 1 : 0;
    if (gives)
        progress.results.push_back(out.out_data);
    word_ = progress.results.size();
    return takes || gives;
}

void Driver::compare_values(const Progress& progress, const Inputs&, const Outputs& out)
{
    if (!out.out_valid)
        return;
    const std::string where = "word " + std::to_string(word_);
    if (word_ == progress.taken)
        return differ_in_value("out_valid_o", where, "0", "1");
    if (progress.options.expected.empty())
        return;
    count_comparison();
    const std::uint32_t want = progress.options.expected[word_];
    if (want != out.out_data)
        differ_in_value("out_data_o", where, hex(want, 8), hex(out.out_data, 8));
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const auto where = [this] { return "word " + std::to_string(word_); };
    compare_timing(want.out_valid, got.out_valid, "out_valid_o", where);
    compare_timing(want.in_ready, got.in_ready, "in_ready_o", where);
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.out_valid ? "out_valid_o" : !out.in_ready ? "in_ready_o" : nullptr;
}

void Driver::give_up(const Progress&)
{
    RtlDriver::give_up("out_valid_o", "word " + std::to_string(word_));
}

} // namespace levee::inverter
