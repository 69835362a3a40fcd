// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/hostlink/regs.h"
#include "platform/studies/sampling/choice.hpp"
#include "platform/studies/sampling/weighted_sum.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace levee::sampling {

/// The parts of a run that are simulated, of one batch whose entries are all alike.
struct Plan {
    std::uint32_t entries = 1;
    std::uint32_t chunks_of_entry = 0, steps = 0; ///< in all
    std::vector<Sample> chunks;                   ///< of the prefill of each of done_entries()
    std::vector<Sample> done_steps;
    bool final_length = false; ///< all steps count as the last one, which is done

    /// Entries that are simulated: the first finds nothing on chip, and what entries leave there
    /// adds up from the second to the last.
    [[nodiscard]] std::vector<Sample> done_entries() const;
    [[nodiscard]] std::size_t chunks_done() const { return chunks.size() * done_entries().size(); }

    /// Whether the chunks sampled suffice to estimate errors of the prefill's figures. Entries are
    /// alike, so how many of them are sampled does not matter.
    [[nodiscard]] bool estimates_prefill() const { return half_tells(chunks, chunks_of_entry); }
    [[nodiscard]] bool estimates_decode() const { return half_tells(done_steps, steps); }
};

/// Extrapolates a run's figures from the parts of it that are simulated. Figures from before the
/// first part, between prefill and decoding, and after the last part count once; those between
/// other parts are left out.
class Sampler {
public:
    /// `measure` returns all figures as they stand now, at simulated time `ps`.
    Sampler(const Plan& plan, std::function<Figures(std::uint64_t ps)> measure);

    /// A part begins or ends. Throws std::runtime_error for one that is not of the plan.
    void mark(levee_mark kind, std::uint32_t index, bool begins, std::uint64_t ps);

    /// From now on, before the first decode step, steps are sampled as `plan` says.
    void sample_steps(const Plan& plan);

    /// The run's figures, `end` being those at its end.
    [[nodiscard]] Figures whole(const Figures& end) const;
    /// The same without every second sample: its distance from whole() estimates the error.
    [[nodiscard]] Figures from_half(const Figures& end) const;

private:
    struct Weights {
        std::uint64_t whole = 0, half = 0; ///< in quarters
    };
    [[nodiscard]] Weights weights_of(levee_mark kind, std::uint32_t index) const;
    [[nodiscard]] Weights as_last(std::uint32_t step) const;
    /// Doubled weights of a part, times `times`.
    [[nodiscard]] static Weights find(const std::vector<Sample>& samples, std::uint32_t part,
                                      std::uint64_t times);
    [[nodiscard]] Figures sum(WeightedSum parts, const Figures& end) const;

    Plan plan_;
    std::function<Figures(std::uint64_t)> measure_;
    std::optional<Figures> first_, began_, last_;
    levee_mark ended_ = LEVEE_MARK_PREFILL_CHUNK; ///< the last part's kind
    WeightedSum whole_, half_;
};

} // namespace levee::sampling
