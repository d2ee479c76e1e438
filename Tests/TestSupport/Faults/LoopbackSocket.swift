import Glibc

/// A TCP socket of this machine that never makes its caller wait; closed with its last reference.
package final class LoopbackSocket: Sendable {
    /// The system said no.
    package struct Refused: Error, CustomStringConvertible {
        let call: String
        let reason: Int32

        package var description: String { "\(call): \(String(cString: strerror(reason)))" }
    }

    /// What a read found.
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
        Self.makePatient(descriptor)
        var isOn: Int32 = 1
        // One byte at a time must leave as one byte at a time.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
    }

    deinit { close(descriptor) }

    /// Makes a descriptor one that never blocks, and that programs we start do not get.
    static func makePatient(_ descriptor: Int32) {
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

    /// A connection to a port; whether it stands shows at the first use.
    static func connecting(to port: Int) throws -> LoopbackSocket {
        let socket = try fresh()
        let result = LoopbackAddress.with(port) { connect(socket.descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            throw Refused(call: "connect", reason: errno)
        }
        return socket
    }

    /// A connection from the address 127.0.0.`host` that waits as sockets do; its caller closes it.
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

    /// The next caller, if one waits.
    func accepted() -> LoopbackSocket? {
        let caller = accept(descriptor, nil, nil)
        // Nobody there, or gone again already.
        return caller < 0 ? nil : try? LoopbackSocket(caller)
    }

    /// The port that a listener has.
    var port: Int { LoopbackAddress.port(of: descriptor) }

    func receive() -> Received {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(buffer[..<count]) }
        if count == 0 { return .end }
        return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? .nothingYet : .broken
    }

    /// - Returns: how many bytes were taken, or nil when the other side is gone.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? 0 : nil
    }

    /// Says that we have ended.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes its end a reset, which overtakes what is under way.
    func resetOnClose() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }
}
