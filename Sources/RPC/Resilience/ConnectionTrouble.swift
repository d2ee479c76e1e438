import Glibc
import NIOCore
import NIOSSL

/// Why a connection could not be made or was lost, as text for the operator's log.
enum ConnectionTrouble {
    /// Characters of one reason. It contains text from a server, which may be hostile.
    static let charactersMax = 200
    /// Number of addresses whose reasons an error lists; the others usually have the same.
    static let addressesMax = 4

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError where error.errnoCode == ECONNREFUSED: "refused"
        case let error as IOError where error.errnoCode == ETIMEDOUT: "timed out"
        case ChannelError.connectTimeout: "timed out"
        case is NIOSSLError, is BoringSSLError, is TLSRefusal, is NIOSSLExtraError:
            "TLS refused: \(error)"
        default: "\(error)"
        }
    }

    /// The service name with the reason for each of its addresses.
    static func detail(_ service: String, _ troubles: [(address: String, text: String)]) -> String {
        guard !troubles.isEmpty else { return "no address of \(service) is known" }
        let told = troubles.prefix(addressesMax).map {
            "\($0.address): \($0.text.prefix(charactersMax))"
        }
        let rest = troubles.count - told.count
        let more = rest > 0 ? ["\(rest) more"] : []
        return "no address of \(service) can be reached (\((told + more).joined(separator: "; ")))"
    }
}
