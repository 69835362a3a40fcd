// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/visitors.hpp"

#include "platform/observe/debug/packet.hpp"

#include <array>
#include <string>
#include <utility>

namespace levee::debug {

namespace {

constexpr std::size_t most_waiting = 16;   // maximum number of open connections; a further one
                                           // closes the oldest
constexpr std::size_t most_discarded = 16; // maximum number of reads of a refused debugger's data
                                           // before its connection is closed

} // namespace

void Visitors::receive(Socket socket)
{
    keep({std::move(socket)});
}

/// Refuses a debugger. GDB reads the reason as the answer to its first packet. The other
/// side must close the connection first. Otherwise, the reason could be lost if more data
/// arrived.
void Visitors::refuse(Socket socket, const std::string& reason)
{
    asio::error_code error;
    socket.non_blocking(true, error);
    socket.write_some(asio::buffer("+" + frame(reason)), error);
    if (!error)
        socket.shutdown(Socket::shutdown_send, error);
    if (!error)
        keep({std::move(socket), true});
}

void Visitors::keep(Visitor visitor)
{
    if (waiting_.size() == most_waiting)
        waiting_.erase(waiting_.begin());
    const std::uint64_t number = next_++;
    waiting_.emplace(number, std::move(visitor));
    wait(number);
}

void Visitors::wait(std::uint64_t number)
{
    const auto visitor = waiting_.find(number);
    visitor->second.socket.async_wait(Socket::wait_read,
                                      [this, number](const asio::error_code& error) {
                                          const auto found = waiting_.find(number);
                                          if (found == waiting_.end())
                                              return; // the connection has been closed since
                                          if (error)
                                              waiting_.erase(found);
                                          else if (found->second.refused)
                                              discard(number);
                                          else
                                              judge(number);
                                      });
}

void Visitors::judge(std::uint64_t number)
{
    Socket socket = std::move(waiting_.at(number).socket);
    waiting_.erase(number);
    char first = 0;
    asio::error_code error;
    if (socket.receive(asio::buffer(&first, 1), Socket::message_peek, error) == 0 || error)
        return; // nothing was received: the other side closed the connection, or an error occurred
    if (begins_session(first))
        host_.admit(std::move(socket));
    else
        host_.foreign();
}

void Visitors::discard(std::uint64_t number)
{
    Visitor& visitor = waiting_.at(number);
    std::array<char, 4096> bytes{};
    asio::error_code error;
    const std::size_t got = visitor.socket.read_some(asio::buffer(bytes), error);
    if (got == 0 || error || ++visitor.discarded == most_discarded)
        waiting_.erase(number);
    else
        wait(number);
}

} // namespace levee::debug
