// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/explore/proposer.hpp"

#include "core/shipped/shipped.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace levee::explore {

namespace {

using Json = nlohmann::json;

/// Lets the optimiser import the package `levee`.
void add_package()
{
    namespace fs = std::filesystem;
    const fs::path tree = shipped().sources / "python",
                   installed = shipped().explore.parent_path() / "python";
    std::error_code none_there;
    std::string folders = fs::exists(tree / "levee", none_there) ? tree : installed;
    if (const char* const others = std::getenv("PYTHONPATH"))
        folders += ":" + std::string(others);
    ::setenv("PYTHONPATH", folders.c_str(), 1);
}

std::string python()
{
    const char* const named = std::getenv("LEVEE_PYTHON");
    return named != nullptr && *named != '\0' ? named : "/usr/bin/python3";
}

/// Makes mathematical functions use the same instructions on every x86-64 processor. Otherwise the
/// last bits of results, and then the proposals, could differ.
void fix_numerics()
{
    ::setenv("NPY_DISABLE_CPU_FEATURES",
             "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL", 1);
    ::setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F", 1);
    ::setenv("PYTHONHASHSEED", "0", 1);
}

/// Turns the child process into the optimiser. It ends when `parent` ends. It ignores Ctrl-C, which
/// the parent handles.
[[noreturn]] void become(const std::string& python, const std::string& file, int input, int output,
                         pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(127); // the parent ended before prctl() took effect
    std::signal(SIGINT, SIG_IGN);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    fix_numerics();
    add_package();
    ::execlp(python.c_str(), python.c_str(), "-B", file.c_str(), nullptr);
    ::_exit(127);
}

std::array<int, 2> pipe_ends()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("a pipe to the optimiser cannot be made: ") +
                                 std::strerror(errno));
    return ends;
}

} // namespace

Proposer::Proposer(const std::vector<Dimension>& dimensions, std::size_t objectives,
                   std::uint64_t seed, const std::optional<std::filesystem::path>& file)
    : python_(python()), file_(file.value_or(shipped().explore / "proposer.py")),
      dimensions_(dimensions.size())
{
    std::signal(SIGPIPE, SIG_IGN); // if the optimiser has ended, the write fails
    const std::array<int, 2> in = pipe_ends(), out = pipe_ends();
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0)
        become(python_, file_, in[0], out[1], parent);
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    if (process_ < 0)
        throw std::runtime_error(std::string("the optimiser cannot be started: ") +
                                 std::strerror(errno));
    Json request{{"dimensions", Json::array()}, {"objectives", objectives}, {"seed", seed}};
    for (const Dimension& dimension : dimensions)
        request["dimensions"].push_back(
            {{"values", dimension.values}, {"ordered", dimension.ordered}});
    send(request);
    (void)receive();
}

Proposer::~Proposer()
{
    ::close(to_);
    ::close(from_);
    if (process_ <= 0)
        return;
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::vector<Proposal> Proposer::start(std::size_t number)
{
    return proposals({{"start", number}});
}

std::vector<Proposal> Proposer::ask(std::size_t number)
{
    return proposals({{"ask", number}});
}

Proposal Proposer::draw()
{
    return proposals({{"draw", 1}}).at(0);
}

void Proposer::tell(const std::vector<Answer>& answers)
{
    Json told = Json::array();
    for (const Answer& answer : answers)
        told.push_back({{"id", answer.id},
                        {"values", answer.values ? Json(*answer.values) : Json(nullptr)},
                        {"withdrawn", answer.withdrawn}});
    send({{"tell", told}});
    (void)receive();
}

void Proposer::learn(const Trials& trials, std::size_t from)
{
    Json entries = Json::array();
    for (std::size_t i = from; i < trials.entries().size(); ++i) {
        const Entry& entry = trials.entries()[i];
        const Trial& trial = trials.trials()[entry.trial];
        if (trial.place.empty())
            entries.push_back(nullptr); // a point that the study names
        else if (entry.is_end)
            entries.push_back({{"ended", entry.trial},
                               {"values", trial.values ? Json(*trial.values) : Json(nullptr)}});
        else
            entries.push_back({{"trial", entry.trial}, {"place", trial.place}});
    }
    send({{"learn", entries}});
    (void)receive();
}

std::vector<double> Proposer::propose(const std::string& worker, std::size_t attempt)
{
    send({{"propose", attempt}, {"by", worker}});
    return place_in(receive());
}

void Proposer::send(const Json& request)
{
    const std::string line = request.dump() + "\n";
    for (std::size_t written = 0; written < line.size();) {
        const ssize_t part = ::write(to_, line.data() + written, line.size() - written);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return; // receive() then reports that the optimiser has ended
        written += static_cast<std::size_t>(part);
    }
}

Json Proposer::receive()
{
    std::size_t end = 0;
    while ((end = received_.find('\n')) == std::string::npos) {
        std::array<char, 4096> block{};
        const ssize_t got = ::read(from_, block.data(), block.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            throw std::runtime_error(
                name() +
                " ended unexpectedly; expected a Python that can run it (set LEVEE_PYTHON to "
                "another one)");
        received_.append(block.data(), static_cast<std::size_t>(got));
    }
    Json answer = Json::parse(received_.substr(0, end), nullptr, false);
    received_.erase(0, end + 1);
    if (!answer.is_object())
        throw std::runtime_error(
            name() +
            " did not answer with a JSON object; expected a program that calls levee.optimise()");
    if (answer.contains("error"))
        throw std::runtime_error(python_ + ": " + answer.at("error").get<std::string>());
    return answer;
}

/// Returns the place in an answer. Throws unless it has a number for each dimension.
std::vector<double> Proposer::place_in(const Json& answer) const
{
    const Json place = answer.value("place", Json::array());
    const auto numbers = static_cast<std::size_t>(
        std::ranges::count_if(place, [](const Json& value) { return value.is_number(); }));
    if (numbers != dimensions_ || place.size() != dimensions_)
        throw std::runtime_error(name() + " proposed a point with " + std::to_string(numbers) +
                                 " numbers; expected one number for each of the " +
                                 std::to_string(dimensions_) + " dimensions");
    return place;
}

std::string Proposer::name() const
{
    return "the optimiser (" + python_ + " " + file_ + ")";
}

std::vector<Proposal> Proposer::proposals(const Json& request)
{
    send(request);
    std::vector<Proposal> all;
    const Json answer = receive();
    for (const Json& proposal : answer.at("proposals"))
        all.push_back({proposal.at("id"), place_in(proposal)});
    return all;
}

} // namespace levee::explore
