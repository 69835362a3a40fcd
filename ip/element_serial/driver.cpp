// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/driver.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/element_serial/timing.hpp"

#include <bit>
#include <utility>

namespace levee::element_serial {

namespace {

// Value at the ports while nothing is offered.
constexpr std::uint32_t filler = 0xC5A5C5A5;

std::string text_of(std::size_t element, std::size_t vector)
{
    return "element " + std::to_string(element) + " of vector " + std::to_string(vector);
}

std::string text_of(std::size_t vector)
{
    return "vector " + std::to_string(vector);
}

std::uint32_t bits(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

float real(std::uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

VectorResult reduced(const Shape& shape, const Configuration& configuration,
                     const VectorWork& vector)
{
    VectorResult result;
    for (const Element& element : vector.elements) {
        const float x = configuration.half ? fp16_to_fp32(static_cast<std::uint16_t>(element.x))
                                           : real(element.x);
        result.out.push_back(entered(configuration.function, real(configuration.param), x,
                                     fp16_to_fp32(static_cast<std::uint16_t>(element.addend))));
    }
    result.statistics = reduce(configuration.function, shape.tile, result.out);
    return result;
}

VectorResult made_of(const Configuration& configuration, const VectorWork& vector)
{
    VectorResult result;
    const auto count = static_cast<std::uint32_t>(real(configuration.count));
    const Factors factors =
        factors_of(configuration.function, vector.statistics, count, real(configuration.param));
    for (const Element& element : vector.elements)
        result.out.push_back(normalised(configuration.function, factors,
                                        static_cast<std::uint16_t>(element.x), real(element.gain),
                                        real(element.addend)));
    return result;
}

} // namespace

std::vector<VectorResult> expected_of(const Shape& shape, const Work& work)
{
    std::vector<VectorResult> all;
    for (const VectorWork& vector : work.vectors)
        all.push_back(work.configuration.normalise ? made_of(work.configuration, vector)
                                                   : reduced(shape, work.configuration, vector));
    return all;
}

struct Driver::Progress {
    const Work& work;
    const Options& options;
    std::vector<VectorResult> results{};
    std::size_t in_vector = 0, in_element = 0; ///< Next vector and element to offer.
    std::size_t stats_vector = 0;
    /// Next vector and element whose result is expected.
    std::size_t out_vector = 0, out_element = 0;
    std::size_t result_vector = 0;
    bool in_offered = false, stats_offered = false; ///< Offers that must stay until they are taken.

    [[nodiscard]] std::size_t count() const { return work.vectors.size(); }
    [[nodiscard]] bool is_normalise() const { return work.configuration.normalise; }
    [[nodiscard]] bool done() const
    {
        return out_vector == count() && (is_normalise() || result_vector == count());
    }
};

std::vector<VectorResult> Driver::run(const Work& work, const Options& options)
{
    Progress progress{work, options};
    progress.results.resize(work.vectors.size());
    drive(*this, progress, options);
    return std::move(progress.results);
}

/// Returns the position of the vector whose elements are expected next.
RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ != nullptr)
        place.tile = RtlPlace::index(progress_->out_vector);
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr)
        return;
    const std::span<const VectorResult> known = progress_->options.known();
    const std::size_t vector = progress_->out_vector, element = progress_->out_element;
    if (out.out_valid && vector < known.size()) {
        out.out_data = known[vector].out[element];
        out.out_last = element + 1 == known[vector].out.size();
    }
    if (out.result_valid && progress_->result_vector < known.size()) {
        const Statistics& statistics = known[progress_->result_vector].statistics;
        out.result_first = bits(statistics.first);
        out.result_second = bits(statistics.second);
    }
}

Inputs Driver::inputs(const Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1);
    Inputs in;
    in.configuration = progress.work.configuration;
    in.stats_valid = progress.is_normalise() && progress.stats_vector < progress.count() &&
                     (progress.stats_offered || (gates & 1u) != 0);
    in.stats_first = in.stats_second = filler;
    in.in = {filler, filler, filler};
    if (in.stats_valid) {
        const Statistics& statistics = progress.work.vectors[progress.stats_vector].statistics;
        in.stats_first = bits(statistics.first);
        in.stats_second = bits(statistics.second);
    }
    in.in_valid =
        progress.in_vector < progress.count() && (progress.in_offered || (gates & 2u) != 0);
    if (in.in_valid) {
        const std::vector<Element>& elements = progress.work.vectors[progress.in_vector].elements;
        in.in = elements[progress.in_element];
        in.in_last = progress.in_element + 1 == elements.size();
    }
    in.out_ready = (gates & 4u) != 0;
    in.result_ready = (gates & 8u) != 0;
    return in;
}

/// Returns true if any channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const bool takes_stats = in.stats_valid && out.stats_ready;
    const bool takes = in.in_valid && out.in_ready, gives = out.out_valid && in.out_ready;
    const bool ends = out.result_valid && in.result_ready;
    progress.stats_offered = in.stats_valid && !takes_stats;
    progress.in_offered = in.in_valid && !takes;
    progress.stats_vector += takes_stats ? 1 : 0;
    if (takes &&
        ++progress.in_element == progress.work.vectors[progress.in_vector].elements.size()) {
        progress.in_element = 0;
        ++progress.in_vector;
    }
    if (gives) {
        progress.results[progress.out_vector].out.push_back(out.out_data);
        if (++progress.out_element == progress.work.vectors[progress.out_vector].elements.size()) {
            progress.out_element = 0;
            ++progress.out_vector;
        }
    }
    if (ends)
        progress.results[progress.result_vector++].statistics = {real(out.result_first),
                                                                 real(out.result_second)};
    return takes_stats || takes || gives || ends;
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const Progress& at = *progress_;
    compare_timing(want.out_valid, got.out_valid, "out_valid_o",
                   [&] { return text_of(at.out_element, at.out_vector); });
    compare_timing(want.result_valid, got.result_valid, "result_valid_o",
                   [&] { return text_of(at.result_vector); });
    compare_timing(want.in_ready, got.in_ready, "in_ready_o",
                   [&] { return text_of(at.in_element, at.in_vector); });
    compare_timing(want.stats_ready, got.stats_ready, "stats_ready_o",
                   [&] { return text_of(at.stats_vector); });
}

/// Compares valid outputs in every cycle, even if they are not taken.
void Driver::compare_values(const Progress& progress, const Inputs&, const Outputs& out)
{
    if (out.out_valid && progress.out_vector == progress.count())
        return differ_in_value("out_valid_o", "after the last element", "0", "1");
    if (out.result_valid && progress.result_vector >= progress.out_vector)
        return differ_in_value("result_valid_o",
                               "before " + text_of(progress.out_element, progress.out_vector), "0",
                               "1");
    if (out.out_valid) {
        const std::string where = text_of(progress.out_element, progress.out_vector);
        const bool is_last =
            progress.out_element + 1 == progress.work.vectors[progress.out_vector].elements.size();
        if (!compare_flag(is_last, out.out_last, "out_last_o", where) ||
            progress.options.expected.empty())
            return;
        count_comparison();
        const std::uint16_t want =
            progress.options.expected[progress.out_vector].out[progress.out_element];
        if (out.out_data != want)
            return differ_in_value("out_data_o", where, hex(want, 4), hex(out.out_data, 4));
    }
    if (out.result_valid && !progress.options.expected.empty())
        compare_result(progress, out);
}

void Driver::compare_result(const Progress& progress, const Outputs& out)
{
    count_comparison();
    const Statistics& want = progress.options.expected[progress.result_vector].statistics;
    const std::string where = text_of(progress.result_vector);
    if (out.result_first != bits(want.first))
        differ_in_value("result_first_o", where, hex(bits(want.first), 8),
                        hex(out.result_first, 8));
    else if (out.result_second != bits(want.second))
        differ_in_value("result_second_o", where, hex(bits(want.second), 8),
                        hex(out.result_second, 8));
}

void Driver::give_up(const Progress& progress)
{
    if (progress.out_vector < progress.count())
        RtlDriver::give_up("out_valid_o", text_of(progress.out_element, progress.out_vector));
    else
        RtlDriver::give_up("result_valid_o", text_of(progress.result_vector));
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.out_valid ? "out_valid_o" : out.result_valid ? "result_valid_o" : nullptr;
}

/// The last results are the statistics of a softmax, which follow its last tile.
std::uint64_t Driver::pipeline_depth() const
{
    return reduce_fill(Function::Softmax, pins().size().tile);
}

} // namespace levee::element_serial
