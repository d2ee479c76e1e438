import Glibc
import NIOCore
import NIOPosix

extension ServerBootstrap {
    /// Binds to `address`. The error of a failed bind contains the address, which the system's own
    /// error does not.
    /// - Throws: `ListenError.refused`.
    func listen(on address: SocketAddress) async throws -> any Channel {
        do {
            return try await bind(to: address).get()
        } catch let error as IOError {
            throw ListenError.refused(
                "\(address.ipAddress ?? ""):\(address.port ?? 0)", errno: error.errnoCode)
        }
    }
}

/// Why a server cannot listen.
package enum ListenError: Error, CustomStringConvertible {
    /// Without TLS beyond loopback, anyone on the network path could read and change the traffic.
    case plaintextBeyondLoopback(String)
    /// The system refused to bind; with `errno`.
    case refused(String, errno: Int32)

    package var description: String {
        switch self {
        case .plaintextBeyondLoopback(let host):
            "refusing to listen on \(host) without TLS: use a loopback address, set "
                + "tls-certificate-file and tls-key-file, or set plaintext to trusted-network if "
                + "nobody else is on that network"
        case .refused(let address, let code):
            "cannot listen on \(address): \(String(cString: strerror(code)))"
        }
    }
}
