/// A protobuf message as a Swift value; generated code conforms to it.
package protocol ProtobufMessage: WireEncoded, Hashable {
    /// Full name in the `.proto`, for example `postern.session.v1.RefreshSessionRequest`.
    static var fullName: String { get }

    /// Decodes `bytes`. `arena` is used during the call if the encoding is not canonical. It is no
    /// initializer: `self = …` costs a copy, and each copy retains all strings of the message.
    /// - Throws: `MessageError`.
    static func decode(_ bytes: UnsafeRawBufferPointer, in arena: Arena) throws -> Self

    /// How libprotobuf-c decodes and encodes it.
    static var layout: MessageLayout { get }

    /// Reads the message's fields from `reader`, in the order of their numbers.
    /// - Throws: `NonCanonicalEncoding`.
    static func read(from reader: inout CanonicalReader) throws(NonCanonicalEncoding) -> Self

    /// Writes the message's fields to `sink`, in the order of their numbers.
    func write(to sink: inout some WireSink)

    /// What two calls with one idempotency key must have in common: all but the secrets and the
    /// fields with the option `postern.options.v1.repeat_may_change`.
    var repeatedPart: Self { get }
}

extension ProtobufMessage {
    /// All of it, where the `.proto` excepts nothing.
    package var repeatedPart: Self { self }
}

extension ProtobufMessage {
    /// Decodes `bytes`, by libprotobuf-c only if the encoding is not canonical.
    /// - Throws: `MessageError`.
    package static func decode(_ bytes: UnsafeRawBufferPointer, in arena: Arena) throws -> Self {
        do throws(NonCanonicalEncoding) {
            return try CanonicalReader.message(in: bytes, budget: Arena.budget(bytes.count))
        } catch {
            return try Self(byLibrary: bytes, in: arena)
        }
    }

    /// Decodes `bytes` by way of libprotobuf-c, canonical or not.
    /// - Throws: `MessageError`.
    package init(byLibrary bytes: UnsafeRawBufferPointer, in arena: Arena) throws {
        let canonical = try arena.canonical(bytes, Self.layout)
        defer { arena.end() }
        do throws(NonCanonicalEncoding) {
            // The library has bounded the number of elements by the arena's budget.
            self = try CanonicalReader.message(in: canonical, budget: .max)
        } catch {
            throw error.isOfText ? MessageError.invalidText : .malformed
        }
    }

    /// Decodes `bytes` with an arena of its own, for code that is not performance-critical.
    /// - Throws: `MessageError`.
    package init(decoding bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try Self.decode($0, in: Arena()) }
    }

    package var encodedByteCount: Int {
        var size = WireSize()
        write(to: &size)
        return size.byteCount
    }

    package func encode(to writer: inout WireWriter) { write(to: &writer) }
}

/// Why bytes are not a valid message. Each is the peer's fault.
package enum MessageError: Error, Hashable, Sendable {
    /// Not protobuf, or a field of the wrong type.
    case malformed
    /// A text field that is not UTF-8 or contains a NUL.
    case invalidText
    /// Decoding would take more than 32 × the body + 4 KiB of memory.
    case overBudget
}
