// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/packet.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace levee::debug {

/// What the server tells the simulation's thread.
struct ServerEvent {
    enum class Kind { Connected, Packet, Malformed, Interrupt, Closed };
    Kind kind;
    std::string text; ///< of a packet
};

/// A socket on the loopback interface that one debugger at a time connects to. A thread of its own
/// reads, acknowledges and writes; the simulation takes events from a queue.
class Server {
public:
    /// Listens; port 0 takes a free one. `on_event` is called in the reading thread whenever the
    /// queue has a new event. Throws std::runtime_error if the port cannot be had.
    Server(std::uint16_t port, std::function<void()> on_event);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    /// The next event; blocks until there is one.
    [[nodiscard]] ServerEvent wait();
    /// The next event, if there is one.
    [[nodiscard]] std::optional<ServerEvent> poll();

    /// Frames and sends a payload; without a connection, to nobody.
    void send(const std::string& payload);
    /// From now on packets are not acknowledged.
    void stop_acks();
    /// Ends the connection when all that was sent is on its way.
    void disconnect();

private:
    class Connection;
    std::unique_ptr<Connection> connection_;
};

} // namespace levee::debug
