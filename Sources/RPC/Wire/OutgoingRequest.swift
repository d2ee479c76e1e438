package import Cryptography
import Messages

/// An outgoing request, packed by the caller so that the event loop only copies it.
package struct OutgoingRequest: Sendable {
    /// `package.Service/Method`.
    package let method: String
    /// The metadata of the call.
    package let metadata: Metadata
    /// The packed request message.
    package let payload: Payload
    /// Whether items follow.
    package let more: Bool

    /// A request without a secret; `more` is true for calls that send items.
    package init(method: String, metadata: Metadata, payload: [UInt8], more: Bool = false) {
        self.init(method: method, metadata: metadata, payload: .plain(payload), more: more)
    }

    /// A request; `more` is true for calls that send items.
    package init(
        method: String, metadata: Metadata, payload: Payload, more: Bool = false
    ) {
        self.method = method
        self.metadata = metadata
        self.payload = payload
        self.more = more
    }

    /// A packed request. A request with a secret is in memory that is wiped when it is freed. It is
    /// retained for as long as its call may be retried.
    package enum Payload: Sendable {
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

        /// Writes it as a field, unless it is empty.
        func write(_ tag: UInt32, to writer: inout WireWriter) {
            switch self {
            case _ where count == 0: break
            case .plain(let bytes): writer.bytes(tag, bytes)
            case .secret(let bytes): writer.secret(tag, bytes)
            }
        }
    }
}
