// SPDX-License-Identifier: Apache-2.0
// Tests the limit on bytes that a debugger may send ahead of the simulation.
#include "platform/observe/debug/server.hpp"

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace levee::debug;

namespace {

class Client {
public:
    explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Sends the text repeatedly until `most` bytes are sent or the receiver accepts no more.
    std::size_t flood(const std::string& text, std::size_t most)
    {
        std::size_t sent = 0;
        pollfd writable{socket_, POLLOUT, 0};
        while (sent < most && ::poll(&writable, 1, 2000) == 1) {
            const auto part = std::string_view(text).substr(sent % text.size());
            const ssize_t bytes =
                ::send(socket_, part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            REQUIRE(bytes > 0);
            sent += static_cast<std::size_t>(bytes);
        }
        return sent;
    }

    void send(const std::string& text) const
    {
        REQUIRE(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(text.size()));
    }

    /// Reads bytes until the other side closes the connection.
    [[nodiscard]] std::string read_all() const
    {
        std::string all;
        std::string part(1 << 16, '\0');
        for (ssize_t got; (got = ::recv(socket_, part.data(), part.size(), 0)) > 0;)
            all += part.substr(0, static_cast<std::size_t>(got));
        return all;
    }

private:
    int socket_;
};

} // namespace

TEST_CASE("a debugger that does not read does not block other debuggers")
{
    Server server(0, [] {});
    Client first(server.port());
    first.send(frame("?"));
    REQUIRE(server.wait().kind == ServerEvent::Kind::Connected);
    for (int i = 0; i < 64; ++i) // This is more data than a socket buffers.
        server.send(std::string(std::size_t{1} << 20, 'a'));
    Client second(server.port());
    second.send("+");
    CHECK(second.read_all().find("E.another debugger is connected") != std::string::npos);
    server.pause(); // The server drops the first connection.
    server.resume();
    Client third(server.port());
    third.send(frame("?"));
    while (server.wait().kind != ServerEvent::Kind::Connected)
        continue;
}

TEST_CASE("a debugger that reads gets everything, and then the connection is closed")
{
    Server server(0, [] {});
    Client client(server.port());
    client.send(frame("?"));
    REQUIRE(server.wait().kind == ServerEvent::Kind::Connected);
    const std::string payload(std::size_t{1} << 20, 'a');
    for (int i = 0; i < 64; ++i)
        server.send(payload);
    server.disconnect();
    // The first byte is an acknowledgement.
    CHECK(client.read_all().size() == 1 + 64 * frame(payload).size());
}

TEST_CASE("packets that nobody has taken wait at the sender, and none is lost")
{
    Server server(0, [] {});
    Client client(server.port());
    const std::string packet = frame(std::string(packet_bytes, 'm'));
    constexpr std::size_t most = std::size_t{256} << 20;
    const std::size_t sent = client.flood(packet, most);
    CHECK(sent < most);
    REQUIRE(server.wait().kind == ServerEvent::Kind::Connected);
    for (std::size_t i = 0; i < sent / packet.size(); ++i) {
        const ServerEvent event = server.wait();
        REQUIRE(event.kind == ServerEvent::Kind::Packet);
        REQUIRE(event.text.size() == packet_bytes);
    }
}
