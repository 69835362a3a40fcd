// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/server.hpp"

#include "platform/observe/debug/visitors.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace levee::debug {

using asio::ip::tcp;

namespace {

constexpr std::size_t most_events = 64;                   // the server stops reading while this
                                                          // many events are queued
constexpr std::size_t most_unsent = std::size_t{1} << 16; // the server stops reading while this
                                                          // many bytes are unsent
constexpr int longest_wait_ms = 2000;
constexpr const char* occupied = "E.another debugger is connected to this run";

} // namespace

/// The sockets. Only the thread that runs `io_` uses them.
class Server::Connection {
public:
    Connection(std::uint16_t port, std::function<void()> on_event)
        : on_event_(std::move(on_event)), acceptor_(io_), visitors_(visitors_host())
    {
        const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
        asio::error_code error;
        acceptor_.open(endpoint.protocol(), error);
        if (!error)
            acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error)
            acceptor_.bind(endpoint, error);
        if (!error)
            acceptor_.listen(asio::socket_base::max_listen_connections, error);
        if (error)
            throw std::runtime_error("--gdb: cannot listen on 127.0.0.1:" + std::to_string(port) +
                                     ": " + error.message());
        accept();
        resume();
    }

    Connection(const Handles& handles, int life, std::function<void()> on_event)
        : on_event_(std::move(on_event)), acceptor_(io_, tcp::v4(), handles.listener),
          life_(std::in_place, io_, life), visitors_(visitors_host()), acks_(handles.acks)
    {
        if (handles.client >= 0) {
            client_.emplace(io_, tcp::v4(), handles.client);
            read();
        }
        accept();
        life_->async_wait(asio::posix::stream_descriptor::wait_read,
                          [](const asio::error_code& error) {
                              if (!error)
                                  _exit(1);
                          });
        resume();
    }

    void resume()
    {
        io_.restart();
        thread_ = std::thread([this] { io_.run(); });
    }

    void pause()
    {
        asio::post(io_, [this] { // queued behind the data that are still to be sent
            flush();
            visitors_.close();
            io_.stop();
        });
        thread_.join();
    }

    [[nodiscard]] Handles handles()
    {
        return {acceptor_.native_handle(), client_ ? client_->native_handle() : -1, acks_};
    }

    ~Connection()
    {
        // Runs after all work that was posted before, such as the last replies.
        asio::post(io_, [this] {
            asio::error_code ignored;
            acceptor_.close(ignored);
            visitors_.close();
            flush();
            close();
            life_.reset();
        });
        thread_.join();
    }

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    ServerEvent wait()
    {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !events_.empty(); });
        return take();
    }

    std::optional<ServerEvent> poll()
    {
        const std::lock_guard lock(mutex_);
        return events_.empty() ? std::nullopt : std::optional(take());
    }

    void send(std::string payload)
    {
        asio::post(io_, [this, text = frame(payload)] {
            last_sent_ = text;
            write(text);
        });
    }

    void stop_acks()
    {
        asio::post(io_, [this] { acks_ = false; });
    }

    void disconnect()
    {
        asio::post(io_, [this] {
            closes_ = client_.has_value();
            send_on();
        });
    }

private:
    ServerEvent take()
    {
        ServerEvent event = std::move(events_.front());
        events_.pop_front();
        if (events_.size() + 1 == most_events)
            asio::post(io_, [this] { read_on(); });
        return event;
    }

    /// Returns whether a queue is full. Either the simulation has not taken its events, or the
    /// debugger has not read its data. Further data from the debugger then stay in the socket.
    bool is_full()
    {
        if (unsent_.size() >= most_unsent)
            return true;
        const std::lock_guard lock(mutex_);
        return events_.size() >= most_events;
    }

    void put(ServerEvent::Kind kind, std::string text = {})
    {
        {
            const std::lock_guard lock(mutex_);
            events_.push_back({kind, std::move(text)});
        }
        arrived_.notify_one();
        on_event_();
    }

    void accept()
    {
        acceptor_.async_accept([this](const asio::error_code& error, tcp::socket socket) {
            if (error)
                return; // the acceptor is closed
            // A second debugger is refused, unless the first one has just disconnected.
            if (client_)
                drain();
            if (client_)
                visitors_.refuse(std::move(socket), occupied);
            else
                visitors_.receive(std::move(socket));
            accept();
        });
    }

    Visitors::Host visitors_host()
    {
        return {[this](tcp::socket socket) { admit(std::move(socket)); },
                [this] {
                    if (!std::exchange(foreign_, true))
                        put(ServerEvent::Kind::Foreign);
                }};
    }

    void admit(tcp::socket socket)
    {
        if (client_) // another client was accepted first
            return visitors_.refuse(std::move(socket), occupied);
        client_.emplace(std::move(socket));
        asio::error_code ignored;
        client_->set_option(tcp::no_delay(true), ignored);
        framer_ = Framer();
        last_sent_.clear();
        acks_ = true;
        put(ServerEvent::Kind::Connected);
        read();
    }

    void read_on()
    {
        if (client_ && !reads_)
            read();
    }

    void read()
    {
        reads_ = !is_full();
        if (!reads_)
            return;
        client_->async_read_some(
            asio::buffer(buffer_),
            [this, number = connection_](const asio::error_code& error, std::size_t bytes) {
                if (number != connection_)
                    return; // the data belong to a closed connection
                if (error) {
                    close();
                    return;
                }
                receive({buffer_.data(), bytes});
                if (client_)
                    read();
            });
    }

    /// Handles the bytes that have arrived, and the end of the connection.
    void drain()
    {
        std::array<char, 4096> bytes{};
        while (client_ && !is_full()) {
            asio::error_code error;
            client_->non_blocking(true, error);
            const std::size_t got = client_->read_some(asio::buffer(bytes), error);
            if (error && error != asio::error::would_block) {
                close();
                return;
            }
            asio::error_code ignored;
            client_->non_blocking(false, ignored);
            if (error)
                return;
            receive({bytes.data(), got});
        }
    }

    void receive(std::string_view bytes)
    {
        std::vector<Incoming> found;
        framer_.feed(bytes, found);
        for (Incoming& incoming : found) {
            switch (incoming.kind) {
            case Incoming::Kind::Packet:
                acknowledge('+');
                put(ServerEvent::Kind::Packet, std::move(incoming.text));
                break;
            case Incoming::Kind::TooLong:
                acknowledge('+');
                put(ServerEvent::Kind::Malformed);
                break;
            case Incoming::Kind::BadChecksum:
                if (acks_)
                    write("-");
                else
                    put(ServerEvent::Kind::Malformed);
                break;
            case Incoming::Kind::Interrupt:
                put(ServerEvent::Kind::Interrupt);
                break;
            case Incoming::Kind::Resend:
                write(last_sent_);
                break;
            }
        }
    }

    void acknowledge(char how)
    {
        if (acks_)
            write(std::string(1, how));
    }

    void write(const std::string& text)
    {
        if (!client_)
            return;
        unsent_ += text;
        send_on();
    }

    /// Sends as many bytes as the socket accepts now, and more when it is ready again.
    void send_on()
    {
        while (client_ && !unsent_.empty()) {
            const ssize_t sent = ::send(client_->native_handle(), unsent_.data(), unsent_.size(),
                                        MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent > 0)
                unsent_.erase(0, static_cast<std::size_t>(sent));
            else if (errno == EAGAIN || errno == EWOULDBLOCK)
                return send_later();
            else if (errno != EINTR)
                close();
        }
        if (closes_)
            close();
        else
            read_on();
    }

    void send_later()
    {
        if (std::exchange(sends_, true))
            return;
        client_->async_wait(tcp::socket::wait_write,
                            [this, number = connection_](const asio::error_code& error) {
                                if (number != connection_)
                                    return; // the event belongs to a closed connection
                                sends_ = false;
                                if (error)
                                    close();
                                else
                                    send_on();
                            });
    }

    /// Waits until all data are sent. Disconnects a debugger that does not read for too long.
    void flush()
    {
        while (client_ && !unsent_.empty()) {
            pollfd socket{client_->native_handle(), POLLOUT, 0};
            if (::poll(&socket, 1, longest_wait_ms) == 0)
                return close();
            send_on();
        }
    }

    void close()
    {
        if (!client_)
            return;
        asio::error_code ignored;
        client_->shutdown(tcp::socket::shutdown_both, ignored);
        client_->close(ignored);
        client_.reset();
        unsent_.clear();
        sends_ = closes_ = false;
        ++connection_;
        put(ServerEvent::Kind::Closed);
    }

    std::function<void()> on_event_;
    std::mutex mutex_; // protects events_
    std::condition_variable arrived_;
    std::deque<ServerEvent> events_;

    asio::io_context io_;
    tcp::acceptor acceptor_;
    std::optional<tcp::socket> client_;
    std::optional<asio::posix::stream_descriptor> life_; // reaches its end when the first process
                                                         // ends
    Visitors visitors_;
    bool foreign_ = false; // a client with another protocol has already been reported
    std::uint64_t connection_ = 0;
    std::array<char, 4096> buffer_{};
    Framer framer_;
    std::string last_sent_;
    bool acks_ = true;
    bool reads_ = false;
    std::string unsent_;
    bool sends_ = false;
    bool closes_ = false;
    std::thread thread_;
};

Server::Server(std::uint16_t port, std::function<void()> on_event)
    : connection_(std::make_unique<Connection>(port, std::move(on_event)))
{
}

Server::Server(const Handles& handles, int life, std::function<void()> on_event)
    : connection_(std::make_unique<Connection>(handles, life, std::move(on_event)))
{
}

Server::~Server() = default;

void Server::pause()
{
    connection_->pause();
}

void Server::resume()
{
    connection_->resume();
}

Server::Handles Server::handles() const
{
    return connection_->handles();
}

std::uint16_t Server::port() const
{
    return connection_->port();
}

ServerEvent Server::wait()
{
    return connection_->wait();
}

std::optional<ServerEvent> Server::poll()
{
    return connection_->poll();
}

void Server::send(const std::string& payload)
{
    connection_->send(payload);
}

void Server::stop_acks()
{
    connection_->stop_acks();
}

void Server::disconnect()
{
    connection_->disconnect();
}

} // namespace levee::debug
