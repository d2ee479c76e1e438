package import Cryptography
import Messages

/// A packed request. A request with a secret is in memory that is wiped when it is freed. It is
/// retained for as long as its call may be retried.
package enum RequestPayload: Sendable {
    /// A request without a secret.
    case plain([UInt8])
    /// A request with a secret.
    case secret(SecretBytes)

    /// Packs `request`, in wiped memory if the method has a secret.
    init(_ request: some ProtobufMessage, of method: MethodDescription) {
        self = method.hasSecrets ? .secret(request.encodedSecret()) : .plain(request.encoded())
    }

    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }

    var count: Int {
        switch self {
        case .plain(let bytes): bytes.count
        case .secret(let bytes): bytes.count
        }
    }

    var isEmpty: Bool { count == 0 }

    /// Calls `body` with the bytes.
    /// - Throws: what `body` throws.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        switch self {
        case .plain(let bytes): try bytes.withUnsafeBytes(body)
        case .secret(let bytes): try bytes.withBytes(body)
        }
    }
}
