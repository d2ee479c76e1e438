package import Cryptography

/// A value with a wire encoding, whose size can be computed before it is written.
package protocol WireEncoded: Sendable {
    /// The number of bytes that `encode` writes.
    var encodedByteCount: Int { get }

    /// Writes the encoding.
    func encode(to writer: inout WireWriter)
}

extension WireEncoded {
    /// Writes to `start`, where `byteCount` bytes are allocated; that size was just computed.
    package func encode(to start: UnsafeMutableRawPointer, byteCount: Int) {
        var writer = WireWriter(
            UnsafeMutableRawBufferPointer(start: start, count: byteCount))
        encode(to: &writer)
        precondition(writer.isFull, "a message was measured wrongly")
    }

    /// The encoded bytes, in a new array.
    package func encoded() -> [UInt8] {
        let byteCount = encodedByteCount
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            if let start = buffer.baseAddress { encode(to: start, byteCount: byteCount) }
            count = byteCount
        }
    }
}

extension ProtobufMessage {
    /// The encoded bytes of a message with a secret, in memory that is wiped.
    package func encodedSecret() -> SecretBytes {
        let byteCount = encodedByteCount
        return SecretBytes(count: byteCount) { buffer in
            if let start = buffer.baseAddress { encode(to: start, byteCount: byteCount) }
        }
    }
}

/// Bytes that are already encoded.
extension [UInt8]: WireEncoded {
    package var encodedByteCount: Int { count }

    package func encode(to writer: inout WireWriter) { writer.copy(self) }
}

/// A message that is already encoded: for a response that is sent repeatedly, where encoding it
/// each time would be a sixth of the whole call.
///
/// It can be made only from a message of its type, so a handler cannot answer with other bytes.
package struct Encoded<Message: ProtobufMessage>: Sendable {
    /// The encoded message.
    package let bytes: [UInt8]

    /// Encodes `message`.
    package init(_ message: Message) {
        bytes = message.encoded()
    }
}
