// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/hostlink/marked_part.hpp"
#include "platform/run/sampling/bound.hpp"
#include "platform/run/sampling/choice.hpp"
#include "platform/run/sampling/weighted_sum.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace levee::sampling {

/// The parts to simulate, in a run with one batch whose entries have prompts of equal length.
struct Plan {
    std::uint32_t entries = 1;
    /// Numbers in the whole run: the chunks in each entry's prompt, and the decode steps.
    std::uint32_t chunks_of_entry = 0, steps = 0;
    std::vector<Sample> chunks; ///< the chunks to simulate in the prefill of each of done_entries()
    std::vector<Sample> done_steps;
    bool final_length = false; ///< only the last step is simulated, and represents all steps
    /// Minimum number of identical layers to simulate in a pass; 0: all layers.
    std::uint32_t layers = 0;

    /// Returns the entries to simulate. The first entry finds no data on chip. From the second
    /// entry to the last, the data on chip accumulate.
    [[nodiscard]] std::vector<Sample> done_entries() const;
    [[nodiscard]] std::size_t chunks_done() const { return chunks.size() * done_entries().size(); }

    /// Returns whether the samples suffice to estimate errors of the prefill. estimates_decode()
    /// does so for the decode phase. All entries have the same prefill, so only the samples of
    /// chunks matter.
    [[nodiscard]] bool estimates_prefill() const { return tells_error(chunks, chunks_of_entry); }
    [[nodiscard]] bool estimates_decode() const { return tells_error(done_steps, steps); }
};

/// Says for each kind of part whether two consecutive parts were simulated, which shows the time
/// between parts.
struct Between {
    bool chunks = false, steps = false;
};

/// Extrapolates a run's figures from its simulated parts. Figures count once if they arise before
/// the first part, between prefill and decoding, or after the last part. Figures that arise between
/// other parts are omitted.
class Sampler {
public:
    /// `measure` returns all figures at the current simulated time `ps`.
    Sampler(const Plan& plan, std::function<Figures(std::uint64_t ps)> measure);

    /// Called when a part begins or ends. Throws std::runtime_error for a part that the plan does
    /// not have.
    void mark(const hostlink::MarkedPart& part, bool begins, std::uint64_t ps);

    /// Uses the decode steps of `plan` from now on. Must be called before the first step.
    void sample_steps(const Plan& plan);

    /// Returns the run's figures. `end` has the figures at the end of the run.
    [[nodiscard]] Figures whole(const Figures& end) const;
    /// Returns the figures under each variation of the samples; bound() needs them.
    [[nodiscard]] std::vector<Figures> varied(const Figures& end) const;
    /// Returns the largest error of a figure, given its change in each of varied(). It is the sum
    /// of sampling::bound() for omitted parts, the time between parts, and each LayerCheck's error.
    [[nodiscard]] double bound(std::span<const double> changes) const;
    /// Returns whether the time between parts was measured, for each kind of part.
    [[nodiscard]] Between between() const { return {chunks_.pair, steps_.pair}; }

private:
    struct Series {
        std::vector<Sample> samples;
        std::vector<Variation> variations;
        /// Changes of the sums, one for each variation of the samples.
        std::vector<WeightedSum> changes;
        WeightedSum between; ///< the time between two parts, times the number of such gaps
        bool pair = false;   ///< whether two consecutive parts were simulated
    };

    /// Measures how far a part's figures are from linear growth with the number of layers. The
    /// difference is the figures with three times the minimum number of layers, minus the
    /// extrapolation from once and twice the minimum.
    struct LayerCheck {
        std::uint32_t part = 0;
        WeightedSum difference;
        std::optional<Figures> base_began, base_ended; ///< the part with the minimum number of
                                                       ///< layers
        /// Number of layers of the whole model beyond twice the minimum, as a multiple of the
        /// minimum.
        double farther = 0;
    };

    [[nodiscard]] static Series series_of(std::vector<Sample> samples);
    /// Returns the decode steps of a plan; none if all count like the last one.
    [[nodiscard]] static Series steps_of(const Plan& plan);
    void begin(const hostlink::MarkedPart& part, Figures now);
    void end(const hostlink::MarkedPart& part, Figures now);
    void add_part(const hostlink::MarkedPart& part, const Figures& now);
    /// Adds a part of the series to the sums, with `weight` times the part's doubled weight.
    void add_sample(Series& series, std::uint32_t part, const Weight& weight, const Figures& now);
    void begin_check(const hostlink::MarkedPart& part, const Figures& now);
    void check(const hostlink::MarkedPart& part, const Figures& now);
    /// Returns the number of parts of this kind in the whole run.
    [[nodiscard]] std::int64_t parts_of(std::size_t kind) const;
    void add_gap(WeightedSum& sum, const Figures& now, std::int64_t times) const;
    void note_between(const hostlink::MarkedPart& part, const Figures& now);
    void begin_decoding(const Figures& now);
    [[nodiscard]] std::int64_t all_chunks() const;
    [[nodiscard]] WeightedSum all_of(WeightedSum parts, const Figures& end) const;

    Plan plan_;
    std::function<Figures(std::uint64_t)> measure_;
    std::optional<Figures> first_, began_, last_;
    hostlink::MarkedPart ended_;
    std::vector<std::pair<Figures, Figures>> before_left_out_; ///< since the last part, the
                                                               ///< intervals that end where work
                                                               ///< for omitted parts begins:
                                                               ///< figures at both ends
    WeightedSum whole_;
    Series chunks_, steps_;
    std::array<std::optional<LayerCheck>, LEVEE_MARK_DECODE_STEP + 1> checks_; ///< per levee_mark
};

} // namespace levee::sampling
