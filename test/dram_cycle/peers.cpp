// SPDX-License-Identifier: Apache-2.0
#include "test/dram_cycle/peers.hpp"

#include "test/dram_cycle/fast_run.hpp"

#include <fstream>
#include <regex>
#include <stdexcept>

namespace levee::dram_cycle {

namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
constexpr std::uint64_t random_extent = 256 * MiB;

/// Returns the cells of a CSV line; commas inside quotes do not separate cells.
std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else if (c != '\r')
            cells.back() += c;
    }
    return cells;
}

/// Converts "128 MiB + 8192", "64 MiB" or "0" to bytes.
std::uint64_t bytes_of(const std::string& text)
{
    static const std::regex form(R"(\s*(?:(\d+) MiB)?\s*\+?\s*(\d+)?\s*)");
    std::smatch part;
    if (!std::regex_match(text, part, form))
        throw std::runtime_error("not an address: '" + text + "'");
    return (part[1].matched ? std::stoull(part[1]) * MiB : 0) +
           (part[2].matched ? std::stoull(part[2]) : 0);
}

Stream sequential(Direction direction, std::uint64_t address, std::uint64_t bytes)
{
    return Stream{AccessPattern{address, bytes, {1, 1, 1}, {0, 0, 0}, false}, direction, bytes};
}

Stream random64(Direction direction, std::uint64_t bytes, std::uint64_t seed)
{
    return Stream{AccessPattern{0, 64, {random_extent / 64, 1, 1}, {64, 0, 0}, true}, direction,
                  bytes, seed};
}

std::vector<Stream> several_reads(const std::string& traffic, std::uint64_t bytes)
{
    static const std::regex form(
        R"((\d+) sequential read streams, stream i from i\*32 MiB(?: \+ i\*(\d+) modulo (\d+))?.*)");
    std::smatch part;
    const std::string what = traffic.substr(traffic.find(": ") + 2);
    if (!std::regex_match(what, part, form))
        throw std::runtime_error("unknown traffic: " + traffic);
    const std::uint64_t count = std::stoull(part[1]);
    std::vector<Stream> streams;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t offset =
            part[2].matched ? i * std::stoull(part[2]) % std::stoull(part[3]) : 0;
        streams.push_back(sequential(Direction::Read, i * 32 * MiB + offset, bytes / count));
    }
    return streams;
}

std::vector<Stream> reads_and_writes(const std::string& traffic, std::uint64_t bytes)
{
    static const std::regex two(R"(read stream from (\w+), write stream from ([\w +]+?) ?[\(,])");
    static const std::regex four(
        R"(r from ([\w +]+), w from ([\w +]+), r from ([\w +]+), w from ([\w +]+),)");
    std::smatch part;
    if (!std::regex_search(traffic, part, two) && !std::regex_search(traffic, part, four))
        throw std::runtime_error("unknown traffic: " + traffic);
    std::vector<Stream> streams;
    for (std::size_t i = 1; i < part.size(); ++i)
        streams.push_back(sequential(i % 2 == 1 ? Direction::Read : Direction::Write,
                                     bytes_of(part[i]), bytes / (part.size() - 1)));
    return streams;
}

} // namespace

std::string PeerCase::parameters_file() const
{
    std::string file = standard;
    for (char& c : file)
        c = static_cast<char>(std::tolower(c));
    if (config.ends_with("_hash"))
        return file + "_abh.yaml";
    return file + (config.ends_with("_pb") ? "_pb.yaml" : "_ab.yaml");
}

std::string PeerCase::parameter(const std::string& key) const
{
    std::smatch found;
    const std::regex form("[;: ]" + key + "=([^; ]+)");
    return std::regex_search(parameters, found, form) ? found[1].str() : std::string();
}

Manner PeerCase::manner() const
{
    if (peer == "Ramulator 2")
        return Manner::Ramulator;
    return peer == "DRAMSys" ? Manner::DramSys : Manner::Own;
}

void PeerCase::complete(dram::Parameters& ours) const
{
    constexpr unsigned lpddr5_aad = 8;
    if (const std::string ppd = parameter("PPD"); !ppd.empty())
        ours.timing.ppd_clocks = static_cast<unsigned>(std::stoul(ppd));
    if (standard == "LPDDR5")
        ours.command_bus.activate_window = lpddr5_aad;
}

std::vector<PeerCase> read_peer_cases(const std::string& path)
{
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line))
        throw std::runtime_error("cannot read " + path);
    std::vector<PeerCase> cases;
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() < 8)
            throw std::runtime_error(path + ": a line of fewer than 8 cells: " + line);
        cases.push_back(PeerCase{cells[0], cells[1], cells[3], cells[5],
                                 cells[5].substr(0, cells[5].find(':')), std::stod(cells[6]),
                                 cells[4]});
    }
    return cases;
}

std::vector<Stream> streams_of(const PeerCase& peer_case, std::uint64_t bytes)
{
    const std::string& name = peer_case.name;
    if (name == "seq_read" || name == "seq_write")
        return {sequential(name == "seq_read" ? Direction::Read : Direction::Write, 0, bytes)};
    if (name == "rand64_read")
        return {random64(Direction::Read, bytes, 1234)};
    if (name == "rand64_write")
        return {random64(Direction::Write, bytes, 1234)};
    if (name == "rand64_mix")
        return {random64(Direction::Read, bytes / 2, 1234),
                random64(Direction::Write, bytes / 2, 1235)};
    if (name.starts_with("stride_")) {
        const std::uint64_t run = name == "stride_64_4k" ? 64 : 256;
        return {Stream{AccessPattern{0, run, {bytes / run, 1, 1}, {4096, 0, 0}, false},
                       Direction::Read, bytes}};
    }
    if (name.starts_with("mix_"))
        return reads_and_writes(peer_case.traffic, bytes);
    return several_reads(peer_case.traffic, bytes);
}

namespace {

/// Returns the rate of dependent reads of one burst each from their mean latency.
double dependent_rate(const dram::Parameters& parameters, double latency_ps)
{
    return static_cast<double>(parameters.burst_bytes()) * 1e12 / latency_ps;
}

CoreReads dependent_reads(const PeerCase& peer_case, const dram::Parameters& parameters,
                          std::uint64_t bytes)
{
    const unsigned burst = parameters.burst_bytes();
    return CoreReads{0, burst, {0, random_extent - 1}, peer_case.name == "dep_seq", bytes / burst};
}

} // namespace

double cycle_bytes_per_s(const PeerCase& peer_case, const dram::Parameters& parameters,
                         std::uint64_t bytes, Manner manner)
{
    CycleDram dram(parameters, manner);
    if (peer_case.dependent()) {
        const Outcome outcome = dram.run({}, dependent_reads(peer_case, parameters, bytes));
        return dependent_rate(parameters, outcome.core_latency_ps);
    }
    const Outcome outcome = dram.run(streams_of(peer_case, bytes));
    if (!outcome.faults.empty())
        throw std::runtime_error(peer_case.name + ": " + outcome.faults.front());
    return static_cast<double>(bytes) * 1e12 / static_cast<double>(outcome.total);
}

double fast_bytes_per_s(const PeerCase& peer_case, const dram::Parameters& parameters,
                        std::uint64_t bytes)
{
    dram::DramTiming timing("dram", parameters);
    if (peer_case.dependent()) {
        const CoreReads reads = dependent_reads(peer_case, parameters, bytes);
        std::mt19937_64 draw(7);
        Picoseconds now = 0;
        for (std::uint64_t i = 0; i < reads.at_least; ++i) {
            const std::uint64_t place = reads.ascending ? i : draw();
            now += timing.core_latency(
                Direction::Read, place * reads.bytes % (reads.within.last + 1), reads.bytes, now);
        }
        return dependent_rate(parameters,
                              static_cast<double>(now) / static_cast<double>(reads.at_least));
    }
    Picoseconds total = 0;
    for (const Picoseconds completed : fast_completions(timing, streams_of(peer_case, bytes)))
        total = std::max(total, completed);
    return static_cast<double>(bytes) * 1e12 / static_cast<double>(total);
}

} // namespace levee::dram_cycle
