// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/packet.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace levee::debug {

/// Events from the server to the simulation's thread.
struct ServerEvent {
    enum class Kind {
        Connected,
        Packet,
        Malformed,
        Interrupt,
        Closed,
        Foreign ///< The first connection whose first byte is not a debugger's was closed.
    };
    Kind kind;
    std::string text; ///< a packet's payload
};

/// Server socket on the loopback interface, for one debugger at a time. A separate thread reads,
/// acknowledges and writes; the simulation takes events from a queue of bounded length. The first
/// byte identifies a connection as a debugger's; a second debugger is refused with a message.
class Server {
public:
    /// Starts listening; port 0 picks a free port. The reading thread calls `on_event` for every
    /// event queued. Throws std::runtime_error if the port is not available.
    Server(std::uint16_t port, std::function<void()> on_event);
    /// Sockets of a server that another process continues to serve.
    struct Handles {
        int listener = -1;
        int client = -1; ///< none is connected
        bool acks = true;
    };
    /// Continues with these sockets, which it owns. The process ends with the file `life`.
    Server(const Handles& handles, int life, std::function<void()> on_event);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    /// The next event; blocks until there is one.
    [[nodiscard]] ServerEvent wait();
    /// The next event, if one is queued.
    [[nodiscard]] std::optional<ServerEvent> poll();

    /// Frames and sends a payload; discards it if no debugger is connected.
    void send(const std::string& payload);
    /// Ends the acknowledgement of packets.
    void stop_acks();
    /// Stops the reading thread for a while, e.g. to copy the process.
    void pause();
    void resume();
    /// Valid while the server pauses.
    [[nodiscard]] Handles handles() const;
    /// Closes the connection once all pending output has been sent.
    void disconnect();

private:
    class Connection;
    std::unique_ptr<Connection> connection_;
};

} // namespace levee::debug
