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

/// The simulated parts of a run whose only batch has equal entries.
struct Plan {
    std::uint32_t entries = 1;
    /// Numbers in the whole run: chunks of an entry's prompt, and decode steps.
    std::uint32_t chunks_of_entry = 0, steps = 0;
    std::vector<Sample> chunks; ///< chunks of the prefill of each of done_entries()
    std::vector<Sample> done_steps;
    bool final_length = false; ///< All steps count like the last one, which is simulated.
    /// Smallest number of identical layers with which a pass is simulated; 0: all layers.
    std::uint32_t layers = 0;

    /// Simulated entries: the first finds nothing on chip, and data left on chip accumulate from
    /// the second to the last.
    [[nodiscard]] std::vector<Sample> done_entries() const;
    [[nodiscard]] std::size_t chunks_done() const { return chunks.size() * done_entries().size(); }

    /// Whether enough chunks are sampled to estimate errors of the prefill. Entries are alike, so
    /// the number of sampled entries does not matter.
    [[nodiscard]] bool estimates_prefill() const { return tells_error(chunks, chunks_of_entry); }
    [[nodiscard]] bool estimates_decode() const { return tells_error(done_steps, steps); }
};

/// Whether two consecutive parts of each kind were simulated, which shows the time between parts.
struct Between {
    bool chunks = false, steps = false;
};

/// Extrapolates a run's figures from its simulated parts. Figures from before the first part,
/// between prefill and decoding, and after the last part count once; those between other parts are
/// left out.
class Sampler {
public:
    /// `measure` returns all figures at the present simulated time `ps`.
    Sampler(const Plan& plan, std::function<Figures(std::uint64_t ps)> measure);

    /// A part begins or ends. Throws std::runtime_error for a part that is not in the plan.
    void mark(const hostlink::MarkedPart& part, bool begins, std::uint64_t ps);

    /// From now on, before the first decode step, steps are sampled by `plan`.
    void sample_steps(const Plan& plan);

    /// The run's figures, `end` being those at its end.
    [[nodiscard]] Figures whole(const Figures& end) const;
    /// Figures that the run would have with other samples; bound() uses them.
    [[nodiscard]] std::vector<Figures> varied(const Figures& end) const;
    /// Largest error of a figure, given its change in each of varied(): omitted parts contribute
    /// sampling::bound(), and the time between parts is added.
    [[nodiscard]] double bound(std::span<const double> changes) const;
    /// The measured time between parts of each kind; nothing if no two consecutive parts were run.
    [[nodiscard]] Between between() const { return {chunks_.pair, steps_.pair}; }

private:
    /// Parts of one kind.
    struct Series {
        std::vector<Sample> samples;
        std::vector<Variation> variations;
        /// Changes of the sums, one for each variation of the samples.
        std::vector<WeightedSum> changes;
        WeightedSum between; ///< the time between two parts, as often as it occurs
        bool pair = false;   ///< Whether two consecutive parts were simulated.
    };

    /// Figures of a part that runs with three times the fewest layers, less the extrapolation from
    /// runs with once and twice as many: the deviation from linear growth with layers.
    struct LayerCheck {
        std::uint32_t part = 0;
        WeightedSum difference;
        std::optional<Figures> base_began, base_ended; ///< Figures of the part with the fewest
                                                       ///< layers.
        /// Distance from the part with twice the layers to the whole model, relative to the
        /// distance to the part with the fewest.
        double farther = 0;
    };

    [[nodiscard]] static Series series_of(std::vector<Sample> samples);
    /// Decode steps of a plan: none if all count like the last one.
    [[nodiscard]] static Series steps_of(const Plan& plan);
    void begin(const hostlink::MarkedPart& part, Figures now);
    void end(const hostlink::MarkedPart& part, Figures now);
    void add_part(const hostlink::MarkedPart& part, const Figures& now);
    /// Adds a part of the series to the sums; `weight`: with quarters of doubled weights.
    void add_sample(Series& series, std::uint32_t part, const Weight& weight, const Figures& now);
    void begin_check(const hostlink::MarkedPart& part, const Figures& now);
    void check(const hostlink::MarkedPart& part, const Figures& now);
    /// Number of parts of this kind in the whole run.
    [[nodiscard]] std::int64_t parts_of(std::size_t kind) const;
    void add_gap(WeightedSum& sum, const Figures& now, std::int64_t times) const;
    void note_between(const hostlink::MarkedPart& part, const Figures& now);
    void begin_decoding(const Figures& now);
    [[nodiscard]] std::int64_t all_chunks() const;
    [[nodiscard]] WeightedSum all_of(WeightedSum parts, const Figures& end) const;

    Plan plan_;
    std::function<Figures(std::uint64_t)> measure_;
    std::optional<Figures> first_, began_, last_;
    hostlink::MarkedPart ended_;                               ///< the last part
    std::vector<std::pair<Figures, Figures>> before_left_out_; ///< Figures between parts, since
                                                               ///< then.
    WeightedSum whole_;
    Series chunks_, steps_;
    std::array<std::optional<LayerCheck>, LEVEE_MARK_DECODE_STEP + 1>
        checks_; ///< Checks by levee_mark.
};

} // namespace levee::sampling
