package import Cryptography
import Messages

/// A packed request. One with a secret in it is in memory that is wiped, for as long as its call may
/// be tried again.
package enum RequestPayload: Sendable {
    /// Without a secret.
    case plain([UInt8])
    /// With one.
    case secret(SecretBytes)

    /// Packs `request` as its method asks for.
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

    /// Lends the bytes.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        switch self {
        case .plain(let bytes): try bytes.withUnsafeBytes(body)
        case .secret(let bytes): try bytes.withBytes(body)
        }
    }
}
