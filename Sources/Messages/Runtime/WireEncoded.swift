package import Cryptography

/// What has a form on the wire, whose size is known before it is written.
package protocol WireEncoded: Sendable {
    /// Bytes that `encode` writes.
    var encodedByteCount: Int { get }

    /// Writes all of it.
    func encode(to writer: inout WireWriter)
}

extension WireEncoded {
    /// Writes to `start`, where there is room for `byteCount` bytes, which were measured just now.
    package func encode(to start: UnsafeMutableRawPointer, byteCount: Int) {
        var writer = WireWriter(
            UnsafeMutableRawBufferPointer(start: start, count: byteCount))
        encode(to: &writer)
        precondition(writer.isFull, "a message was measured too large")
    }

    /// The encoded bytes, in memory of their own.
    package func encoded() -> [UInt8] {
        let byteCount = encodedByteCount
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            if let start = buffer.baseAddress { encode(to: start, byteCount: byteCount) }
            count = byteCount
        }
    }
}

extension ProtobufMessage {
    /// The encoded bytes of a message with a secret in it, in memory that is wiped.
    package func encodedSecret() -> SecretBytes {
        let byteCount = encodedByteCount
        return SecretBytes(count: byteCount) { buffer in
            if let start = buffer.baseAddress { encode(to: start, byteCount: byteCount) }
        }
    }
}

/// Bytes that were encoded before.
extension [UInt8]: WireEncoded {
    package var encodedByteCount: Int { count }

    package func encode(to writer: inout WireWriter) { writer.copy(self) }
}
