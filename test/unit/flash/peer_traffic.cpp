// SPDX-License-Identifier: Apache-2.0
#include "test/unit/flash/peer_traffic.hpp"

#include "test/unit/flash/random.hpp"

#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace levee::flash::test {

namespace {

constexpr Time us = 1'000'000;
constexpr Time host_path = 20'000; ///< This is the peer's own latency of a request.

std::vector<std::string> split(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

/// Returns the number after `before` in `text`, or `otherwise` if there is none.
double number(const std::string& text, const std::string& before, double otherwise)
{
    std::smatch match;
    return std::regex_search(text, match, std::regex(before + "([0-9.]+)")) ? std::stod(match[1])
                                                                            : otherwise;
}

/// Returns the number in front of `after`.
double number_before(const std::string& text, const std::string& after, double otherwise)
{
    std::smatch match;
    return std::regex_search(text, match, std::regex("([0-9.]+)" + after)) ? std::stod(match[1])
                                                                           : otherwise;
}

Traffic parse_traffic(const std::string& text, const std::string& note)
{
    Traffic traffic;
    traffic.sequential = text.find("page-sized reads; sequential") == 0;
    const std::size_t plus = text.find("page programs");
    const std::string reads = text.substr(0, plus);
    if (reads.find("closed loop") != std::string::npos)
        traffic.reads = static_cast<std::uint32_t>(number(reads, "outstanding=", 0));
    traffic.reads_per_second = number(reads, "nominal ", 0);
    if (plus != std::string::npos)
        traffic.programs = static_cast<std::uint32_t>(number(text.substr(plus), "outstanding=", 0));
    traffic.read_share = number_before(text, "% reads /", 100) / 100;
    traffic.paired_share = number_before(note, "% of pages were read by a two-plane", 0) / 100;
    if (const double erases = number(note, "erases ", 0); note.find("garbage") != std::string::npos)
        traffic.programs_per_erase =
            static_cast<std::uint32_t>(number(note, "programs ", 0) / erases);
    const double seconds = number(text, "measured over ", 1);
    traffic.duration = static_cast<Time>(seconds * 1e12);
    if (traffic.reads_per_second > 0) // Reads are rare, so ten times as many give a better mean.
        traffic.duration *= 10;
    return traffic;
}

/// Simulates channels that work in parallel, with clients in closed and open loops.
class Simulation {
public:
    explicit Simulation(const PeerCase& peer)
        : peer_(peer), issued_(peer.geometry.channels), random_(1)
    {
        for (std::uint32_t i = 0; i < peer.geometry.channels; ++i) {
            channels_.emplace_back(peer.geometry, peer.config);
            channels_.back().on_done = [this, i](std::uint32_t job, Time now) {
                done(i, job, now);
            };
        }
    }

    Outcome run()
    {
        const Traffic& traffic = peer_.traffic;
        for (std::uint32_t i = 0; i < traffic.reads; ++i)
            next_of_mix(0);
        for (std::uint32_t i = 0; i < traffic.programs; ++i)
            submit_program(0);
        if (traffic.reads_per_second > 0)
            for (Time at = gap(); at < traffic.duration; at += gap())
                submit_read(at);
        while (Channel* const channel = next_channel())
            channel->run_until(*channel->next_time());
        const double seconds = static_cast<double>(traffic.duration) * 1e-12;
        Outcome outcome;
        outcome.reads_per_second = static_cast<double>(count_[0]) / seconds;
        outcome.read_latency_us = mean_us(0);
        outcome.programs_per_second = static_cast<double>(count_[1]) / seconds;
        outcome.program_latency_us = mean_us(1);
        outcome.requests = count_[0] + count_[1];
        return outcome;
    }

private:
    struct Issued {
        Time at;
        RequestKind kind;
    };

    Channel* next_channel()
    {
        Channel* next = nullptr;
        Time at = peer_.traffic.duration;
        for (Channel& channel : channels_)
            if (const std::optional<Time> time = channel.next_time(); time && *time < at) {
                at = *time;
                next = &channel;
            }
        return next;
    }
    Time gap()
    {
        return static_cast<Time>(-std::log(1 - random_.unit()) / peer_.traffic.reads_per_second *
                                 1e12);
    }
    double mean_us(std::size_t kind) const
    {
        return count_[kind] == 0
                   ? 0
                   : static_cast<double>(latency_[kind]) * 1e-6 / static_cast<double>(count_[kind]);
    }
    void submit(std::uint32_t channel, const Request& request, Time at)
    {
        issued_[channel].push_back({at, request.kind});
        channels_[channel].submit(request, at);
    }
    /// Submits a read of the page with this number. Numbers count channels first, then chips, dies
    /// and planes.
    void submit_read(std::uint64_t number, Time at)
    {
        const Geometry& g = peer_.geometry;
        Request request{RequestKind::Read, 0, 0, 0, g.page_bytes, 0};
        const auto channel = static_cast<std::uint32_t>(number % g.channels);
        number /= g.channels;
        const std::uint64_t chip = number % g.chips;
        number /= g.chips;
        request.die = static_cast<std::uint32_t>(chip * g.dies + number % g.dies);
        number /= g.dies;
        request.plane = static_cast<std::uint32_t>(number % g.planes);
        request.page = static_cast<std::uint32_t>(number / g.planes);
        submit(channel, request, at);
    }
    void submit_read(Time at)
    {
        const Geometry& g = peer_.geometry;
        if (peer_.traffic.sequential)
            return submit_read(sequence_++, at);
        const std::uint64_t dies = std::uint64_t{g.channels} * g.dies_per_channel();
        if (partner_) {
            const std::uint64_t partner = *partner_;
            partner_.reset();
            return submit_read(partner, at);
        }
        const std::uint64_t first = random_.below(dies) + dies * random_.below(1u << 20) * g.planes;
        // The next request reads the other page of the pair.
        if (random_.unit() < peer_.traffic.paired_share / (2 - peer_.traffic.paired_share))
            partner_ = first + dies;
        const std::uint64_t plane = partner_ ? 0 : random_.below(g.planes);
        submit_read(first + dies * plane, at);
    }
    void submit_program(Time at)
    {
        // In a mixed load, programs and reads go to random places. Otherwise programs are
        // sequential.
        const std::uint64_t number =
            peer_.traffic.read_share < 1 ? random_.below(1u << 20) : programs_++;
        const Geometry& g = peer_.geometry;
        const auto channel = static_cast<std::uint32_t>(number % g.channels);
        const auto die = static_cast<std::uint32_t>(number / g.channels % g.dies_per_channel());
        submit(channel, {RequestKind::Program, die, 0, 0, g.page_bytes, 0}, at);
        const std::uint32_t each = peer_.traffic.programs_per_erase;
        if (each != 0 && number % each == each - 1)
            submit(channel, {RequestKind::Erase, die, 0, 0, 0, 0}, at);
    }
    void next_of_mix(Time at)
    {
        if (random_.unit() < peer_.traffic.read_share)
            submit_read(at);
        else
            submit_program(at);
    }
    void done(std::uint32_t channel, std::uint32_t job, Time now)
    {
        const Issued issued = issued_[channel][job];
        if (issued.kind == RequestKind::Erase)
            return;
        const bool programs = issued.kind == RequestKind::Program;
        ++count_[programs];
        latency_[programs] += now + host_path - issued.at;
        if (peer_.traffic.read_share < 1)
            next_of_mix(now + host_path);
        else if (programs)
            submit_program(now + host_path);
        else if (peer_.traffic.reads != 0)
            submit_read(now + host_path);
    }

    const PeerCase& peer_;
    std::deque<Channel> channels_;
    std::vector<std::vector<Issued>> issued_;
    Random random_;
    std::uint64_t sequence_ = 0, programs_ = 0;
    std::optional<std::uint64_t> partner_;
    std::uint64_t count_[2] = {};
    Time latency_[2] = {};
};

} // namespace

std::vector<PeerRow> read_peer_rows(const std::string& path)
{
    std::ifstream file(path);
    std::vector<PeerRow> rows;
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = split(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = split(line);
        for (std::size_t i = 0; i < names.size(); ++i)
            rows.resize(rows.size() + (i == 0)), rows.back()[names[i]] = fields.at(i);
    }
    return rows;
}

PeerCase parse_peer(const PeerRow& row)
{
    const std::string& text = row.at("parameters");
    const auto count = [&](const char* name) {
        return static_cast<std::uint32_t>(number(text, std::string(name) + "=", 0));
    };
    PeerCase peer;
    peer.geometry = {count("channels"),
                     count("chips_per_channel"),
                     count("dies_per_chip"),
                     count("planes_per_die"),
                     4096,
                     256,
                     count("page_bytes"),
                     0};
    TimingConfig& config = peer.config;
    config.read = count("tR_us") * us;
    config.program = count("tPROG_us") * us;
    config.erase = count("tBERS_us") * us;
    config.command = 290'000;
    config.paired_command = 940'000;
    config.channel_bytes_per_second = std::uint64_t{count("channel_MTps")} * 1'000'000;
    config.arbitration = Arbitration::DataFirst;
    config.planes = PlaneCommands::Paired;
    config.cache_read = false;
    peer.traffic = parse_traffic(row.at("traffic"), row.at("note"));
    return peer;
}

PeerCase with_cache_read(PeerCase peer)
{
    peer.config.arbitration = Arbitration::ReadComputeFirst;
    peer.config.planes = PlaneCommands::Independent;
    peer.config.cache_read = true;
    return peer;
}

Outcome simulate(const PeerCase& peer)
{
    return Simulation(peer).run();
}

} // namespace levee::flash::test
