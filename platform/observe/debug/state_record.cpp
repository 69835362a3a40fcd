// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/state_record.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/error.hpp"
#include "core/config/output_file.hpp"
#include "core/config/quantity.hpp"
#include "core/config/regular_file.hpp"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <fstream>
#include <stdexcept>

namespace levee::debug {

namespace {

constexpr std::size_t most_listed = 8;

RecordedState parse_line(const std::string& line)
{
    const nlohmann::json json = config::bounded_json(line).value();
    RecordedState recorded{
        json.at("time_ps"), {json.at("cycle"), json.at("ps"), json.at("instructions")}, {}};
    for (const auto& [name, hash] : json.at("state").items())
        recorded.state[name] = std::stoull(hash.get<std::string>(), nullptr, 16);
    return recorded;
}

} // namespace

StateRecord::StateRecord(const std::filesystem::path& file) : file_(file)
{
    (void)config::output_stream(file, std::ios::trunc);
}

void StateRecord::add(const RecordedState& recorded)
{
    nlohmann::ordered_json json{{"time_ps", recorded.asked_ps},
                                {"ps", recorded.at.ps},
                                {"cycle", recorded.at.cycle},
                                {"instructions", recorded.at.instructions}};
    for (const auto& [name, hash] : recorded.state)
        json["state"][name] = format("%016" PRIx64, hash);
    std::ofstream stream = config::output_stream(file_, std::ios::app);
    if (!(stream << json.dump() << std::endl))
        throw std::runtime_error(file_.string() + ": cannot be written");
}

RecordedState recorded_state(const std::filesystem::path& file, Picoseconds asked_ps)
{
    std::ifstream stream = config::regular_stream(file);
    if (!stream)
        throw config::Error("--restore: " + file.string() +
                            " cannot be read; expected the record of a run with "
                            "--checkpoint-every, or in which a debugger made checkpoints");
    std::string times;
    std::size_t count = 0;
    for (std::string line; std::getline(stream, line);) {
        try {
            const RecordedState recorded = parse_line(line);
            if (recorded.asked_ps == asked_ps)
                return recorded;
            if (count++ < most_listed)
                times += (times.empty() ? "" : ", ") +
                         config::format_quantity(recorded.asked_ps, config::Dimension::Time);
        } catch (const std::exception&) {
            throw config::Error("--restore: " + file.string() +
                                " is not a record of checkpoints: '" + config::shortened(line, 80) +
                                "'");
        }
    }
    throw config::Error("--restore: " + file.string() + " has no checkpoint at " +
                        config::format_quantity(asked_ps, config::Dimension::Time) +
                        "; expected one of: " + times + (count > most_listed ? ", ..." : ""));
}

} // namespace levee::debug
