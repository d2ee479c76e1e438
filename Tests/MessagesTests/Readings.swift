@testable import Messages

/// A message read directly, and by way of libprotobuf-c.
enum Readings {
    /// The results for `bytes`; nil where they are rejected. Of the second, also where the message
    /// does not have the encoding that the library gives it.
    static func both<Message: ProtobufMessage>(
        _ bytes: [UInt8], as type: Message.Type
    ) -> (ordinary: AnyHashable?, library: AnyHashable?) {
        bytes.withUnsafeBytes { bytes in
            // The reason of a rejection does not matter here.
            let ordinary: Message? = try? CanonicalReader.message(
                in: bytes, budget: Arena.budget(bytes.count))
            let library = try? Message(byLibrary: bytes, in: Arena())
            guard library.map({ $0.encoded() == encoding(of: bytes, as: type) }) ?? true else {
                return (ordinary.map(AnyHashable.init), nil)
            }
            return (ordinary.map(AnyHashable.init), library.map(AnyHashable.init))
        }
    }

    /// The library's encoding of the message in `bytes`; nil if it rejects them.
    static func encoding<Message: ProtobufMessage>(
        of bytes: UnsafeRawBufferPointer, as type: Message.Type
    ) -> [UInt8]? {
        let arena = Arena()
        guard let canonical = try? arena.canonical(bytes, type.layout) else { return nil }
        defer { arena.end() }
        return Array(canonical)
    }

    /// Whether both ways decode `message` from its encoding as the same value.
    static func areEqual<Message: ProtobufMessage>(_ message: Message) -> Bool {
        let (ordinary, library) = both(message.encoded(), as: Message.self)
        return ordinary == AnyHashable(message) && library == ordinary
    }
}

/// A message with a repeated number, a kind of field that no proto has yet.
struct Numbers: ProtobufMessage {
    static let fullName = "Numbers"
    let values: [UInt64]

    static func read(_ bytes: [UInt8]) -> [UInt64]? {
        bytes.withUnsafeBytes { bytes in
            // Nil is an expected result.
            let read: Numbers? = try? CanonicalReader.message(
                in: bytes, budget: Arena.budget(bytes.count))
            return read?.values
        }
    }

    private init(values: [UInt64]) { self.values = values }

    static func read(from reader: inout CanonicalReader) throws(NonCanonicalEncoding) -> Numbers {
        Numbers(values: try reader.numbers(10) { $0 })
    }

    static var layout: MessageLayout { WireV1.Ping.layout }

    func write(to sink: inout some WireSink) { sink.numbers(10, values) }
}
