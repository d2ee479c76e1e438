import Glibc

/// A non-blocking TCP socket of this machine. It is closed with its last reference.
package final class LoopbackSocket: Sendable {
    /// A system call failed.
    package struct Refused: Error, CustomStringConvertible {
        let call: String
        let reason: Int32

        package var description: String { "\(call): \(String(cString: strerror(reason)))" }
    }

    /// The result of a read.
    enum Received {
        case bytes(ArraySlice<UInt8>)
        case nothingYet
        case end
        case broken
    }

    let descriptor: Int32

    private init(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw Refused(call: "socket", reason: errno) }
        Self.makeNonBlocking(descriptor)
        var isOn: Int32 = 1
        // Without this, TCP would combine bytes that are sent one at a time.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
    }

    deinit { close(descriptor) }

    /// Makes a descriptor non-blocking and hides it from child processes (close-on-exec).
    static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func fresh() throws -> LoopbackSocket {
        try LoopbackSocket(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    }

    /// A listener on a port that the system picks.
    static func listening() throws -> LoopbackSocket {
        let listener = try fresh()
        let result = LoopbackAddress.with(0) { bind(listener.descriptor, $0, $1) }
        guard result == 0, listen(listener.descriptor, 512) == 0 else {
            throw Refused(call: "listen", reason: errno)
        }
        return listener
    }

    /// Connects to a port. A failed connection shows at the first use.
    /// - Throws: `Refused` if the system rejects the call.
    static func connecting(to port: Int) throws -> LoopbackSocket {
        let socket = try fresh()
        let result = LoopbackAddress.with(port) { connect(socket.descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            throw Refused(call: "connect", reason: errno)
        }
        return socket
    }

    /// Connects to a socket in the file system.
    /// - Throws: `Refused` if the system rejects the call.
    static func connecting(toFile path: String) throws -> LoopbackSocket {
        let connection = try LoopbackSocket(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        // The last byte of the name ends it.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Refused(call: "connect", reason: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection.descriptor, $0, size)
            }
        }
        guard result == 0 else { throw Refused(call: "connect", reason: errno) }
        return connection
    }

    /// Connects a blocking socket from the address 127.0.0.`host`. The caller closes it.
    /// - Throws: `Refused` if binding or connecting fails.
    package static func connected(to port: Int, from host: UInt32) throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = LoopbackAddress.with(0, host: host) { bind(socket, $0, $1) }
        let isConnected = LoopbackAddress.with(port) { connect(socket, $0, $1) }
        guard isBound == 0, isConnected == 0 else {
            let reason = errno
            close(socket)
            throw Refused(call: "connect", reason: reason)
        }
        return socket
    }

    /// Returns the next client that waits, if there is one.
    func accepted() -> LoopbackSocket? {
        let caller = accept(descriptor, nil, nil)
        // No client waits, or it has already disconnected.
        return caller < 0 ? nil : try? LoopbackSocket(caller)
    }

    /// The port of a listener.
    var port: Int { LoopbackAddress.port(of: descriptor) }

    func receive() -> Received {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(buffer[..<count]) }
        if count == 0 { return .end }
        return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? .nothingYet : .broken
    }

    /// - Returns: how many bytes were accepted, or nil when the other side has disconnected.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? 0 : nil
    }

    /// Closes our sending side.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the close a reset, which discards bytes in transit.
    func resetOnClose() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }
}
