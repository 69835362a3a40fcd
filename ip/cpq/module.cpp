// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/module.hpp"

#include "ip/cpq/declaration.hpp"

#include <string>
#include <utility>

namespace levee::cpq {

Cpq::Cpq(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
         std::unique_ptr<Engine> engine)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      engine_(std::move(engine)),
      run_(queue, config.units, config.sz_bytes, config.expected, engine_.get())
{
    if (config.calibrate)
        run_.count_magnitudes();
    const auto word = [bytes = config.sz_bytes](unsigned shift) {
        return [bytes, shift] { return static_cast<std::uint32_t>(bytes >> shift); };
    };
    queue.register_file().add({"SZ_BYTES", LEVEE_CPQ_SZ_BYTES, word(0), {}});
    queue.register_file().add({"SZ_BYTES_HI", LEVEE_CPQ_SZ_BYTES_HI, word(32), {}});
}

void Cpq::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const Totals totals = run_.prepare(descriptor, operation);
    operation.job.activity.minimum = config_.clock.span(totals.cycles);
    operation.work.push_back({&prune_event, totals.compared});
    operation.work.push_back({&quantise_event, totals.survivors});
    operation.work.push_back({&level_event, totals.levels});
    operation.work.push_back({&dequantise_event, totals.expanded});
    totals_.add(totals);
}

std::optional<unsigned> Cpq::operand_of(std::uint32_t field) const
{
    if (field == operation_field(offsetof(levee_cpq_operation, data)) ||
        field == operation_field(offsetof(levee_cpq_operation, scale)))
        return 0;
    return std::nullopt;
}

void Cpq::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("rows", totals_.rows);
    stats.add("values", totals_.values);
    stats.add("survivors", totals_.survivors);
    stats.add("non_zeros", totals_.non_zeros);
    stats.add("levels", totals_.levels);
    stats.add("clamped", totals_.clamped);
    stats.add("index_bytes", totals_.index_bytes);
    stats.add("code_bytes", totals_.code_bytes);
    stats.add("label_bytes", totals_.label_bytes);
    stats.add("packed_bytes", totals_.packed_bytes);
    stats.add("expanded.rows", totals_.expanded_rows);
    stats.add("expanded.non_zeros", totals_.expanded);
    stats.add("expanded.packed_bytes", totals_.expanded_bytes);
    stats.add("cycles", totals_.cycles);
    for (std::size_t table = 0; table < run_.magnitudes().size(); ++table)
        if (!run_.magnitudes()[table].empty())
            stats.add("threshold." + std::to_string(table),
                      double{run_.magnitudes()[table].threshold(*config_.calibrate)},
                      FigureKind::Level);
}

} // namespace levee::cpq
