// An HTTP server on loopback that answers as a test scripts it, faults included.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace cuset::endpoint_test {

struct seen_request {
    std::size_t arrival = 0;  ///< from 0, over all connections
    std::string head, body;   ///< the head with its request line

    std::string target() const { return head.substr(0, head.find(" HTTP/")); }
};

inline bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// A whole reply; `headers` are lines with their ends.
inline std::string reply(const std::string& code, const std::string& body,
                         const std::string& headers = "") {
    return "HTTP/1.1 " + code +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n" + headers + "\r\n" + body;
}

inline std::string answer(const std::string& text) {
    return "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"" + text +
           "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"completion_tokens\":7}}";
}

class faulty_server {
public:
    /// Called for each request, on its connection's thread; false closes the connection.
    using handler = std::function<bool(int fd, const seen_request&)>;

    explicit faulty_server(handler handle) : handle_(std::move(handle)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (listener_ < 0 || ::bind(listener_, generic, size) != 0 ||
            ::listen(listener_, 256) != 0 || ::getsockname(listener_, generic, &size) != 0)
            throw std::runtime_error("no socket on loopback");
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }

    /// Each arrival has its reply; the last one's is that of all after it.
    explicit faulty_server(std::vector<std::string> replies)
        : faulty_server([replies = std::move(replies)](int fd, const seen_request& request) {
              return send_all(fd, replies[std::min(request.arrival, replies.size() - 1)]);
          }) {}

    ~faulty_server() {
        stopping_ = true;
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        {
            const std::lock_guard lock(mutex_);
            for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
        }
        for (auto& thread : connections_) thread.join();
        ::close(listener_);
    }
    faulty_server(const faulty_server&) = delete;
    faulty_server& operator=(const faulty_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
    bool stopping() const { return stopping_; }

    std::vector<seen_request> seen() const {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

private:
    void accept_all() {
        for (;;) {
            const int fd = ::accept(listener_, nullptr, nullptr);
            if (fd < 0) return;
            const std::lock_guard lock(mutex_);
            if (stopping_) {
                ::close(fd);
                return;
            }
            open_.push_back(fd);
            connections_.emplace_back([this, fd] { serve(fd); });
        }
    }

    void serve(int fd) {
        std::string bytes;
        for (seen_request request; read_request(fd, bytes, request);) {
            {
                const std::lock_guard lock(mutex_);
                request.arrival = seen_.size();
                seen_.push_back(request);
            }
            if (!handle_(fd, request)) break;
        }
        const std::lock_guard lock(mutex_);
        std::erase(open_, fd);
        ::close(fd);
    }

    static bool read_request(int fd, std::string& bytes, seen_request& request) {
        char part[65536];
        const auto more = [&] {
            const ssize_t got = ::recv(fd, part, sizeof part, 0);
            if (got > 0) bytes.append(part, static_cast<std::size_t>(got));
            return got > 0;
        };
        std::size_t end = 0;
        while ((end = bytes.find("\r\n\r\n")) == bytes.npos)
            if (!more()) return false;
        request.head = bytes.substr(0, end);
        bytes.erase(0, end + 4);
        std::size_t length = 0;
        if (const auto at = request.head.find("Content-Length: "); at != request.head.npos)
            length = std::stoul(request.head.substr(at + std::strlen("Content-Length: ")));
        while (bytes.size() < length)
            if (!more()) return false;
        request.body = bytes.substr(0, length);
        bytes.erase(0, length);
        return true;
    }

    handler handle_;
    int listener_ = -1;
    unsigned port_ = 0;
    std::atomic<bool> stopping_ = false;
    std::thread acceptor_;
    mutable std::mutex mutex_;
    std::vector<int> open_;
    std::vector<std::thread> connections_;
    std::vector<seen_request> seen_;
};

}  // namespace cuset::endpoint_test
