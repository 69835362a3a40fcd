// SPDX-License-Identifier: Apache-2.0
#include "ip/cam/module.hpp"

#include "ip/cam/declaration.hpp"

namespace levee::cam {

Cam::Cam(const sc_core::sc_module_name& name, const Config& config, Fabric fabric)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      run_(queue, config_.build)
{
    const Build& build = config_.build;
    RegisterFile& registers = queue.register_file();
    registers.add({"ROWS", LEVEE_CAM_ROWS, [&build] { return build.arrays.rows; }, {}});
    registers.add({"COLUMNS", LEVEE_CAM_COLUMNS, [&build] { return build.arrays.columns; }, {}});
    registers.add({"ARRAYS", LEVEE_CAM_ARRAYS, [&build] { return build.arrays.count; }, {}});
    registers.add({"CELL_BITS", LEVEE_CAM_CELL_BITS, [&build] { return build.cell_bits; }, {}});
}

void Cam::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const OperationRun::Size size = run_.prepare(descriptor, operation);
    operation.job.activity.minimum = config_.clock.span(size.cycles);
    operation.work.push_back({&cell_write_event, size.written_cells});
    operation.work.push_back({&cell_search_event, size.compared_cells});
    operation.work.push_back({&line_event, size.lines});
    operation.work.push_back({&match_event, size.matches});
    sum_.cycles += size.cycles;
    sum_.written += size.written;
    sum_.searches += size.searches;
    sum_.compared += size.compared;
    sum_.matches += size.matches;
}

void Cam::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("rows_written", sum_.written);
    stats.add("searches", sum_.searches);
    stats.add("rows_compared", sum_.compared);
    stats.add("matches", sum_.matches);
    stats.add("cycles", sum_.cycles);
}

} // namespace levee::cam
