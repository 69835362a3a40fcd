// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/semihost/service.hpp"

#include "core/units/time.hpp"
#include "platform/machine/semihost/error_numbers.hpp"
#include "platform/machine/semihost/operations.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace levee::semihost {

namespace {

constexpr std::uint32_t failed = 0xFFFFFFFF;
constexpr std::uint32_t application_exit = 0x20026; // ADP_Stopped_ApplicationExit
constexpr std::uint64_t ps_per_tick = 1000;
constexpr std::uint64_t ticks_per_s = 1'000'000'000;
constexpr std::uint32_t most_text = 4096; // maximum number of bytes of a name
constexpr std::size_t most_handles = 64;
constexpr std::size_t chunk = 4096;
// The magic "SHFB" and then a byte of features: SYS_EXIT_EXTENDED, and a stderr that is separate
// from stdout.
constexpr std::array<std::uint8_t, 5> features{'S', 'H', 'F', 'B', 0x03};

} // namespace

Service::Service(Machine machine, std::filesystem::path folder, std::string command_line)
    : machine_(std::move(machine)), files_(std::move(folder)),
      command_line_(std::move(command_line))
{
}

std::uint32_t Service::call(std::uint32_t operation, std::uint32_t parameter)
{
    if (const auto result = file_call(operation, parameter))
        return *result;
    if (const auto result = time_call(operation, parameter))
        return *result;
    switch (operation) {
    case sys_writec: {
        std::array<std::uint8_t, 1> byte{};
        if (!machine_.read(parameter, byte))
            return fail(EFAULT);
        machine_.print(static_cast<char>(byte[0]));
        return 0;
    }
    case sys_write0:
        return write_text(parameter);
    case sys_readc:
        if (const auto byte = machine_.input())
            return *byte;
        return failed;
    case sys_errno:
        return static_cast<std::uint32_t>(errno_);
    case sys_get_cmdline:
        return command_line(parameter);
    case sys_exit: // a 32-bit program passes the reason directly
        return exit(parameter, 0);
    case sys_exit_extended:
        if (const auto block = words(parameter, 2))
            return exit((*block)[0], (*block)[1]);
        return fail(EFAULT);
    default:
        return fail(ENOSYS);
    }
}

std::optional<std::uint32_t> Service::file_call(std::uint32_t operation, std::uint32_t parameter)
{
    switch (operation) {
    case sys_open:
        return open(parameter);
    case sys_write:
        return write(parameter);
    case sys_read:
        return read(parameter);
    case sys_seek:
        return seek(parameter);
    case sys_rename:
        return rename(parameter);
    case sys_close:
    case sys_iserror:
    case sys_istty:
    case sys_flen:
        return handle_call(operation, parameter);
    case sys_remove:
        return remove(parameter);
    default:
        return std::nullopt;
    }
}

std::uint32_t Service::handle_call(std::uint32_t operation, std::uint32_t parameter)
{
    const auto block = words(parameter, 1);
    if (!block)
        return fail(EFAULT);
    const std::uint32_t number = (*block)[0];
    if (operation == sys_close)
        return close(number);
    if (operation == sys_iserror)
        return static_cast<std::int32_t>(number) < 0 ? 1u : 0u;
    if (operation == sys_flen)
        return length(number);
    const Handle* known = handle(number);
    if (known == nullptr)
        return fail(EBADF);
    return known->kind == Handle::Kind::Input || known->kind == Handle::Kind::Output ? 1u : 0u;
}

std::uint32_t Service::remove(std::uint32_t parameter)
{
    const auto block = words(parameter, 2);
    const auto name = block ? text((*block)[0], (*block)[1]) : std::nullopt;
    const int error = name ? files_.remove(*name) : EFAULT;
    return error != 0 ? fail(error) : 0;
}

std::optional<std::uint32_t> Service::time_call(std::uint32_t operation, std::uint32_t parameter)
{
    const std::uint64_t now = machine_.now_ps();
    switch (operation) {
    case sys_clock: // the time is in hundredths of a second
        return static_cast<std::uint32_t>(now / (ps_per_second / 100));
    case sys_time:
        return static_cast<std::uint32_t>(now / ps_per_second);
    case sys_tickfreq:
        return static_cast<std::uint32_t>(ticks_per_s);
    case sys_elapsed: {
        std::array<std::uint8_t, 8> ticks{};
        for (std::size_t i = 0; i < ticks.size(); ++i)
            ticks[i] = static_cast<std::uint8_t>(now / ps_per_tick >> (8 * i));
        return machine_.write(parameter, ticks) ? 0 : fail(EFAULT);
    }
    default:
        return std::nullopt;
    }
}

std::uint32_t Service::open(std::uint32_t parameter)
{
    const auto block = words(parameter, 3);
    const auto name = block ? text((*block)[0], (*block)[2]) : std::nullopt;
    if (!name)
        return fail(EFAULT);
    const std::uint32_t mode = (*block)[1];
    if (mode >= mode_count)
        return fail(EINVAL);
    if (handles_.size() >= most_handles)
        return fail(EMFILE);
    if (*name == ":tt")
        return add({mode < 4 ? Handle::Kind::Input : Handle::Kind::Output, Descriptor()});
    if (*name == ":semihosting-features")
        return mode < 2 ? add({Handle::Kind::Features, Descriptor()}) : fail(EACCES);
    int error = 0;
    Descriptor file = files_.open(*name, mode, error);
    return error != 0 ? fail(error) : add({Handle::Kind::File, std::move(file)});
}

std::uint32_t Service::add(Handle handle)
{
    std::uint32_t number = 1;
    while (handles_.contains(number))
        ++number;
    handles_.emplace(number, std::move(handle));
    return number;
}

std::uint32_t Service::close(std::uint32_t number)
{
    return handles_.erase(number) != 0 ? 0 : fail(EBADF);
}

bool Service::write_some(Handle& to, std::span<const std::uint8_t> from)
{
    if (to.kind == Handle::Kind::Output) {
        for (const std::uint8_t byte : from)
            machine_.print(static_cast<char>(byte));
        return true;
    }
    while (!from.empty()) {
        const ssize_t sent = ::write(to.file.number(), from.data(), from.size());
        if (sent < 0) {
            errno_ = picolibc_errno(errno);
            return false;
        }
        from = from.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Returns the number of bytes that were not written.
std::uint32_t Service::write(std::uint32_t parameter)
{
    const auto block = words(parameter, 3);
    if (!block)
        return fail(EFAULT);
    auto [number, address, left, unused] = *block;
    Handle* to = handle(number);
    if (to == nullptr || (to->kind != Handle::Kind::Output && to->kind != Handle::Kind::File)) {
        fail(EBADF);
        return left;
    }
    std::array<std::uint8_t, chunk> buffer{};
    while (left != 0) {
        const auto part = std::span(buffer).first(std::min<std::size_t>(left, chunk));
        if (!machine_.read(address, part)) {
            fail(EFAULT);
            return left;
        }
        if (!write_some(*to, part))
            return left;
        address += static_cast<std::uint32_t>(part.size());
        left -= static_cast<std::uint32_t>(part.size());
    }
    return 0;
}

long Service::read_input(std::span<std::uint8_t> to)
{
    long count = 0;
    for (std::uint8_t& byte : to) {
        const auto next = machine_.input();
        if (!next)
            break;
        byte = *next;
        ++count;
    }
    return count;
}

long Service::read_some(Handle& from, std::span<std::uint8_t> to)
{
    if (from.kind == Handle::Kind::Input)
        return read_input(to);
    if (from.kind == Handle::Kind::Features) {
        const std::size_t count = std::min(to.size(), features.size() - from.position);
        std::copy_n(features.begin() + from.position, count, to.begin());
        from.position += static_cast<std::uint32_t>(count);
        return static_cast<long>(count);
    }
    const ssize_t got = ::read(from.file.number(), to.data(), to.size());
    if (got < 0)
        errno_ = picolibc_errno(errno);
    return got;
}

/// Returns the number of bytes that were not read. At the end of the file, no byte is read.
std::uint32_t Service::read(std::uint32_t parameter)
{
    const auto block = words(parameter, 3);
    if (!block)
        return fail(EFAULT);
    auto [number, address, left, unused] = *block;
    Handle* from = handle(number);
    if (from == nullptr || from->kind == Handle::Kind::Output)
        return fail(EBADF);
    std::array<std::uint8_t, chunk> buffer{};
    while (left != 0) {
        const long got =
            read_some(*from, std::span(buffer).first(std::min<std::size_t>(left, chunk)));
        if (got < 0)
            return failed;
        if (got == 0)
            break;
        if (!machine_.write(address, std::span(buffer).first(static_cast<std::size_t>(got))))
            return fail(EFAULT);
        address += static_cast<std::uint32_t>(got);
        left -= static_cast<std::uint32_t>(got);
    }
    return left;
}

std::uint32_t Service::seek(std::uint32_t parameter)
{
    const auto block = words(parameter, 2);
    if (!block)
        return fail(EFAULT);
    const auto [number, position, unused0, unused1] = *block;
    Handle* known = handle(number);
    if (known == nullptr)
        return fail(EBADF);
    if (known->kind == Handle::Kind::Features && position <= features.size()) {
        known->position = position;
        return 0;
    }
    if (known->kind != Handle::Kind::File)
        return fail(EINVAL);
    return ::lseek(known->file.number(), position, SEEK_SET) < 0 ? fail(errno) : 0;
}

std::uint32_t Service::length(std::uint32_t number)
{
    const Handle* known = handle(number);
    if (known == nullptr)
        return fail(EBADF);
    if (known->kind == Handle::Kind::Features)
        return static_cast<std::uint32_t>(features.size());
    struct stat status {};
    if (known->kind != Handle::Kind::File || ::fstat(known->file.number(), &status) != 0)
        return fail(EINVAL);
    return status.st_size < failed ? static_cast<std::uint32_t>(status.st_size) : fail(EFBIG);
}

std::uint32_t Service::rename(std::uint32_t parameter)
{
    const auto block = words(parameter, 4);
    if (!block)
        return fail(EFAULT);
    const auto from = text((*block)[0], (*block)[1]), to = text((*block)[2], (*block)[3]);
    const int error = from && to ? files_.rename(*from, *to) : EFAULT;
    return error != 0 ? fail(error) : 0;
}

std::uint32_t Service::write_text(std::uint32_t address)
{
    std::array<std::uint8_t, 1> byte{};
    for (; machine_.read(address, byte); ++address) {
        if (byte[0] == 0)
            return 0;
        machine_.print(static_cast<char>(byte[0]));
    }
    return fail(EFAULT);
}

/// The parameter block has the buffer's address and size. The length of the command line replaces
/// the size.
std::uint32_t Service::command_line(std::uint32_t parameter)
{
    const auto block = words(parameter, 2);
    if (!block)
        return fail(EFAULT);
    const std::size_t bytes = command_line_.size() + 1;
    if (bytes > (*block)[1])
        return fail(E2BIG);
    std::vector<std::uint8_t> line(bytes);
    std::copy(command_line_.begin(), command_line_.end(), line.begin());
    std::array<std::uint8_t, 4> length{};
    for (std::size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<std::uint8_t>(command_line_.size() >> (8 * i));
    return machine_.write((*block)[0], line) && machine_.write(parameter + 4, length)
               ? 0
               : fail(EFAULT);
}

std::uint32_t Service::exit(std::uint32_t reason, std::uint32_t code)
{
    machine_.exit(reason == application_exit ? static_cast<int>(code) : 1);
    return 0;
}

std::optional<std::array<std::uint32_t, 4>> Service::words(std::uint32_t address, unsigned count)
{
    std::array<std::uint8_t, 16> bytes{};
    if (!machine_.read(address, std::span(bytes).first(4 * count)))
        return std::nullopt;
    std::array<std::uint32_t, 4> result{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        result[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
    return result;
}

std::optional<std::string> Service::text(std::uint32_t address, std::uint32_t length)
{
    std::vector<std::uint8_t> bytes(std::min(length, most_text));
    if (length > most_text || !machine_.read(address, bytes))
        return std::nullopt;
    return std::string(bytes.begin(), bytes.end());
}

Service::Handle* Service::handle(std::uint32_t number)
{
    const auto found = handles_.find(number);
    return found == handles_.end() ? nullptr : &found->second;
}

std::uint32_t Service::fail(int host_errno)
{
    errno_ = picolibc_errno(host_errno);
    return failed;
}

} // namespace levee::semihost
