/// A protobuf message as a Swift value; the generated code conforms.
package protocol ProtobufMessage: Sendable, Hashable {
    /// Full name in the `.proto`, for instance `postern.session.v1.RefreshRequest`.
    static var fullName: String { get }

    /// Decodes `bytes`, using `arena` for the moment.
    /// - Throws: `MessageError`.
    init(decoding bytes: UnsafeRawBufferPointer, in arena: Arena) throws

    /// The message in `arena`, ready to be written until the arena ends it; `withPacked` begins
    /// and ends.
    func packed(in arena: Arena) -> PackedMessage
}

extension ProtobufMessage {
    /// Lends the message ready to be written, using `arena` for the moment.
    @inlinable package func withPacked<R>(
        in arena: Arena, _ body: (PackedMessage) throws -> R
    ) rethrows -> R {
        arena.begin()
        defer { arena.end() }
        return try body(packed(in: arena))
    }

    /// Decodes `bytes` with memory of its own, for places that are not hot.
    /// - Throws: `MessageError`.
    package init(decoding bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try Self(decoding: $0, in: Arena()) }
    }

    /// The encoded message, with memory of its own, for places that are not hot.
    package func encoded() -> [UInt8] {
        withPacked(in: Arena()) { packed in
            [UInt8](unsafeUninitializedCapacity: packed.byteCount) { buffer, count in
                if let start = buffer.baseAddress { packed.write(to: start) }
                count = packed.byteCount
            }
        }
    }
}

/// Why bytes are not a message. Each is the peer's fault.
package enum MessageError: Error, Hashable, Sendable {
    /// Not protobuf, or a field of another type.
    case malformed
    /// A text field that is not UTF-8, or holds a NUL.
    case invalidText
    /// Decoding would take more than 32 × the body + 4 KiB of memory.
    case overBudget
}
