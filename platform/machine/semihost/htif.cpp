// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/semihost/htif.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

namespace levee::semihost {

namespace {

constexpr unsigned device_shift = 56, command_shift = 48;
enum Device : std::uint64_t { calls = 0, terminal = 1 };
enum Command : std::uint64_t { get = 0, put = 1 }; ///< commands of the console

/// System call numbers of RISC-V Linux.
enum Call : std::uint64_t {
    call_close = 57,
    call_read = 63,
    call_write = 64,
    call_exit = 93,
    call_exit_group = 94
};

constexpr std::uint64_t standard_input = 0, standard_error = 2;
/// Maximum number of bytes that one call transfers. A program makes further calls for more.
constexpr std::uint64_t most_bytes = 1 << 20;

std::uint64_t negative(int error)
{
    return -static_cast<std::uint64_t>(error);
}

} // namespace

std::optional<std::string> Htif::serve(std::uint64_t request)
{
    const std::uint64_t device = request >> device_shift;
    const std::uint64_t command = request >> command_shift & 0xFF;
    const std::uint64_t payload = request & ((std::uint64_t{1} << command_shift) - 1);
    if (device == terminal)
        return console(command, static_cast<std::uint8_t>(payload));
    if (device != calls || command != 0)
        return "device " + std::to_string(device) + ", command " + std::to_string(command) +
               "; expected device 0, command 0 (system calls) or device 1, command 0 or 1 "
               "(console)";
    if ((payload & 1u) == 0)
        return call(payload);
    machine_.exit(static_cast<int>(payload >> 1));
    return std::nullopt;
}

/// Executes a system call. Its number and arguments are 64-bit words in memory. The result replaces
/// the number.
std::optional<std::string> Htif::call(std::uint64_t block)
{
    std::array<std::uint8_t, sizeof(Arguments)> bytes{};
    if (block > UINT32_MAX || !machine_.read(static_cast<std::uint32_t>(block), bytes))
        return "its arguments are not in memory";
    Arguments arguments{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        arguments[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    if (arguments[0] == call_exit || arguments[0] == call_exit_group) {
        machine_.exit(static_cast<int>(arguments[1]));
        return std::nullopt;
    }
    if (!store(block, result(arguments)))
        return "its result cannot be written to memory";
    return answer(1);
}

/// Unknown calls fail with ENOSYS, as on Linux.
std::uint64_t Htif::result(const Arguments& call)
{
    switch (call[0]) {
    case call_write:
        return write(call);
    case call_read:
        return read(call);
    case call_close:
        return call[1] <= standard_error ? 0 : negative(EBADF);
    default:
        return negative(ENOSYS);
    }
}

std::uint64_t Htif::write(const Arguments& call)
{
    const auto [number, file, address, bytes] = call;
    if (file == standard_input || file > standard_error)
        return negative(EBADF);
    std::vector<std::uint8_t> data(std::min(bytes, most_bytes));
    if (address > UINT32_MAX || !machine_.read(static_cast<std::uint32_t>(address), data))
        return negative(EFAULT);
    for (const std::uint8_t byte : data)
        machine_.print(static_cast<char>(byte));
    return data.size();
}

/// Returns the number of bytes read; 0 at the end of standard input.
std::uint64_t Htif::read(const Arguments& call)
{
    const auto [number, file, address, bytes] = call;
    if (file != standard_input)
        return negative(EBADF);
    std::uint64_t count = 0;
    for (; count < std::min(bytes, most_bytes); ++count) {
        const auto byte = machine_.input();
        if (!byte)
            break;
        const std::array<std::uint8_t, 1> data{*byte};
        if (address + count > UINT32_MAX ||
            !machine_.write(static_cast<std::uint32_t>(address + count), data))
            return negative(EFAULT);
    }
    return count;
}

/// At the end of standard input, a request for a character gets no answer, as if no key was
/// pressed.
std::optional<std::string> Htif::console(std::uint64_t command, std::uint8_t byte)
{
    constexpr std::uint64_t there = 0x100;
    if (command == put) {
        machine_.print(static_cast<char>(byte));
        return store(words_.tohost, 0) ? std::nullopt : std::optional("tohost is not in memory");
    }
    if (command != get)
        return "the console has no command " + std::to_string(command) +
               "; expected 0 (get) or 1 (put)";
    const auto next = machine_.input();
    if (!next)
        return store(words_.tohost, 0) ? std::nullopt : std::optional("tohost is not in memory");
    return answer(std::uint64_t{terminal} << device_shift | std::uint64_t{get} << command_shift |
                  there | *next);
}

std::optional<std::string> Htif::answer(std::uint64_t value)
{
    if (!words_.fromhost)
        return "the program has no symbol 'fromhost', which names the word for the answer";
    if (!store(words_.tohost, 0) || !store(*words_.fromhost, value))
        return "tohost or fromhost is not in memory";
    return std::nullopt;
}

bool Htif::store(std::uint64_t address, std::uint64_t value)
{
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
    return machine_.write(static_cast<std::uint32_t>(address), bytes);
}

} // namespace levee::semihost
