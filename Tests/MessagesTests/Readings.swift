@testable import Messages

/// A message read by both readers.
enum Readings {
    /// The results of the canonical reader and the library for `bytes`; nil where they reject them.
    static func both<Message: ProtobufMessage>(
        _ bytes: [UInt8], as type: Message.Type
    ) -> (ordinary: AnyHashable?, library: AnyHashable?) {
        bytes.withUnsafeBytes { bytes in
            // The reason of a rejection does not matter here.
            let ordinary: Message? = try? CanonicalReader.message(in: bytes)
            let library = try? Message(byLibrary: bytes, in: Arena())
            return (ordinary.map(AnyHashable.init), library.map(AnyHashable.init))
        }
    }

    /// Whether both readers decode `message` from its encoding as the same value.
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
            let read: Numbers? = try? CanonicalReader.message(in: bytes)
            return read?.values
        }
    }

    private init(values: [UInt64]) { self.values = values }

    static func read(from reader: inout CanonicalReader) throws(NonCanonicalEncoding) -> Numbers {
        Numbers(values: try reader.numbers(10) { $0 })
    }

    init(byLibrary bytes: UnsafeRawBufferPointer, in arena: Arena) throws {
        throw MessageError.malformed
    }

    func write(to sink: inout some WireSink) { sink.numbers(10, values) }
}
