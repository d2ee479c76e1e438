/// A protobuf message as a Swift value; the generated code conforms.
package protocol ProtobufMessage: WireEncoded, Hashable {
    /// Full name in the `.proto`, for instance `postern.session.v1.RefreshRequest`.
    static var fullName: String { get }

    /// Decodes `bytes`, using `arena` for the moment where they are out of the ordinary.
    /// - Throws: `MessageError`.
    init(decoding bytes: UnsafeRawBufferPointer, in arena: Arena) throws

    /// Decodes `bytes` by libprotobuf-c, whatever they are.
    /// - Throws: `MessageError`.
    init(byLibrary bytes: UnsafeRawBufferPointer, in arena: Arena) throws

    /// Reads the message's fields from `reader`, each in its place.
    static func read(from reader: inout CanonicalReader) throws(NonCanonicalEncoding) -> Self

    /// Writes the message's fields to `sink`, in the order of their numbers.
    func write(to sink: inout some WireSink)
}

extension ProtobufMessage {
    package init(decoding bytes: UnsafeRawBufferPointer, in arena: Arena) throws {
        self = try Self.decoded(bytes, arena)
    }

    /// Returned from where it is made: an optional on the way would be copied, and each copy retains
    /// every string in it.
    private static func decoded(_ bytes: UnsafeRawBufferPointer, _ arena: Arena) throws -> Self {
        do throws(NonCanonicalEncoding) {
            return try CanonicalReader.message(in: bytes)
        } catch {
            return try Self(byLibrary: bytes, in: arena)
        }
    }

    /// Decodes `bytes` with memory of its own, for places that are not hot.
    /// - Throws: `MessageError`.
    package init(decoding bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try Self(decoding: $0, in: Arena()) }
    }

    package var encodedByteCount: Int {
        var size = WireSize()
        write(to: &size)
        return size.byteCount
    }

    package func encode(to writer: inout WireWriter) { write(to: &writer) }
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
