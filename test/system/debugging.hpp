// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/system/program.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>

namespace levee::test {

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// Runs `levee run ... --gdb 0` in parallel to the test. The destructor ends the run.
class Debuggee {
public:
    Debuggee(const Workplace& place, std::vector<std::string> arguments)
        : place_(place), output_(place.path("output.txt"))
    {
        arguments.insert(arguments.begin(), {LEVEE_PROGRAM, "run"});
        arguments.insert(arguments.end(), {"--gdb", "0"});
        std::vector<char*> words;
        for (std::string& argument : arguments)
            words.push_back(argument.data());
        words.push_back(nullptr);
        std::filesystem::remove(output_);
        child_ = fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            const int file = open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            if (chdir(output_.parent_path().c_str()) != 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0)
                _exit(127);
            execv(words[0], words.data());
            _exit(127);
        }
        find_port();
    }
    ~Debuggee()
    {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
    }
    Debuggee(const Debuggee&) = delete;
    Debuggee& operator=(const Debuggee&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] pid_t process() const { return child_; }
    [[nodiscard]] std::string text() const { return place_.read("output.txt"); }

    /// Returns the exit code after the end, or -1 if a signal ended the run.
    int wait()
    {
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    /// Returns the CPU time that the run has used, in ticks of sysconf(_SC_CLK_TCK).
    [[nodiscard]] std::uint64_t cpu_ticks() const
    {
        std::ifstream stream("/proc/" + std::to_string(child_) + "/stat");
        std::string word;
        std::getline(stream, word, ')'); // The name may contain spaces.
        std::vector<std::string> words;
        while (stream >> word)
            words.push_back(word);
        constexpr std::size_t user = 11, system = 12; // Fields after the name; proc(5) counts these
                                                      // as 14 and 15.
        return std::stoull(words.at(user)) + std::stoull(words.at(system));
    }

    [[nodiscard]] double cpu_seconds() const
    {
        clockid_t clock{};
        timespec used{};
        REQUIRE(clock_getcpuclockid(child_, &clock) == 0);
        REQUIRE(clock_gettime(clock, &used) == 0);
        return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    }

    /// Returns when the run has used this much more CPU time, or has ended.
    void let_work(double seconds) const
    {
        for (const double until = cpu_seconds() + seconds; !ended() && cpu_seconds() < until;)
            pause();
    }

private:
    static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

    [[nodiscard]] bool ended() const
    {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid == child_;
    }

    void find_port()
    {
        const std::string mark = "gdb: listening on 127.0.0.1:";
        for (;; pause()) {
            const bool last = ended();
            const std::string so_far = text();
            const std::size_t at = so_far.find(mark);
            if (at != std::string::npos && so_far.find('\n', at) != std::string::npos) {
                port_ = std::stoi(so_far.substr(at + mark.size()));
                return;
            }
            if (last)
                FAIL("levee has ended without opening the debugger's port: " << so_far);
        }
    }

    const Workplace& place_;
    std::filesystem::path output_;
    pid_t child_ = 0;
    int port_ = 0;
};

inline bool gdb_is_installed()
{
    return std::system("command -v gdb-multiarch >/dev/null 2>&1") == 0;
}

/// Whether GDB is missing. The test then reports that it is skipped.
inline bool gdb_is_missing()
{
    if (gdb_is_installed())
        return false;
    WARN("skipped: gdb-multiarch is not installed");
    return true;
}

inline std::string firmware(const std::string& app)
{
    return std::string(LEVEE_FIRMWARE_DIR) + "/" + app + ".elf";
}

/// Checks that `parts` occur in `text` in this order.
inline void check_in_order(const std::string& text, const std::vector<std::string>& parts)
{
    std::size_t at = 0;
    for (const std::string& part : parts) {
        const std::size_t found = text.find(part, at);
        INFO("looked for: " << part << "\nin: " << text);
        REQUIRE(found != std::string::npos);
        at = found + part.size();
    }
}

/// Runs a debugger with this command line and returns its output.
inline std::string run_debugger(const Debuggee& debuggee, const std::string& command)
{
    FILE* pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
        text.append(buffer.data(), got);
    pclose(pipe);
    UNSCOPED_INFO("the debugger printed:\n" << text << "\nlevee printed:\n" << debuggee.text());
    return text;
}

/// Returns the output of gdb-multiarch for the commands, connected to the debuggee.
inline std::string run_gdb(const Workplace& place, const Debuggee& debuggee, const std::string& elf,
                           const std::string& commands)
{
    place.write("script.gdb", "set pagination off\nset confirm off\nset style enabled off\n"
                              "set $port = " +
                                  std::to_string(debuggee.port()) + "\ntarget remote 127.0.0.1:" +
                                  std::to_string(debuggee.port()) + "\n" + commands);
    return run_debugger(debuggee, "gdb-multiarch -batch -nx -x " + quote(place.path("script.gdb")) +
                                      " " + quote(elf));
}

/// A scripted GDB session with a run.
struct GdbSession {
    GdbSession(std::vector<std::string> run, const std::string& elf, const std::string& commands)
        : debuggee(place, std::move(run)), text(run_gdb(place, debuggee, elf, commands))
    {
    }

    Workplace place;
    Debuggee debuggee;
    std::string text;
};

/// A client of the remote protocol that sends exactly what the test asks, valid or not.
class RemoteClient {
public:
    explicit RemoteClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~RemoteClient() { ::close(socket_); }
    RemoteClient(const RemoteClient&) = delete;
    RemoteClient& operator=(const RemoteClient&) = delete;

    void send_raw(const std::string& bytes)
    {
        REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }
    void send(const std::string& payload)
    {
        unsigned sum = 0;
        for (const char c : payload)
            sum += static_cast<unsigned char>(c);
        std::array<char, 4> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x", sum & 0xFF);
        send_raw("$" + payload + "#" + digits.data());
    }
    /// Returns the next byte, or none if nothing arrives for 20 s or the other side has closed the
    /// connection.
    std::optional<char> byte()
    {
        pollfd wait{socket_, POLLIN, 0};
        char c = 0;
        if (::poll(&wait, 1, 20000) != 1 || ::recv(socket_, &c, 1, 0) != 1)
            return std::nullopt;
        return c;
    }
    /// Returns the next packet's payload without acknowledgements, or "(closed)" at the end.
    std::string receive()
    {
        std::string payload;
        std::optional<char> c = byte();
        while (c && *c != '$')
            c = byte();
        while (c && (c = byte()) && *c != '#')
            payload += *c;
        if (!c)
            return "(closed)";
        (void)byte(); // skips the checksum
        (void)byte();
        return payload;
    }
    std::string ask(const std::string& payload)
    {
        send(payload);
        return receive();
    }
    /// Returns the output of `monitor COMMAND`.
    std::string monitor(const std::string& command)
    {
        std::string hex;
        for (const char c : command) {
            std::array<char, 4> digits{};
            std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(c));
            hex += digits.data();
        }
        std::string text;
        for (std::string part = ask("qRcmd," + hex); part != "OK"; part = receive()) {
            REQUIRE(part.substr(0, 1) == "O");
            text += from_hex(part.substr(1));
        }
        return text;
    }
    static std::string from_hex(const std::string& digits)
    {
        std::string text;
        for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
            text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
        return text;
    }

private:
    int socket_;
};

} // namespace levee::test
