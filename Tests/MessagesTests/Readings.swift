@testable import Messages

/// A message read both ways.
enum Readings {
    /// What the quick way and the library make of `bytes`; nil where they do not read them.
    static func both<Message: ProtobufMessage>(
        _ bytes: [UInt8], as type: Message.Type
    ) -> (ordinary: AnyHashable?, library: AnyHashable?) {
        bytes.withUnsafeBytes { bytes in
            // Why it is not read is of no matter here.
            let ordinary: Message? = try? CanonicalReader.message(in: bytes)
            let library = try? Message(byLibrary: bytes, in: Arena())
            return (ordinary.map(AnyHashable.init), library.map(AnyHashable.init))
        }
    }

    /// Whether both read what `message` is encoded to, as the same value.
    static func areEqual<Message: ProtobufMessage>(_ message: Message) -> Bool {
        let (ordinary, library) = both(message.encoded(), as: Message.self)
        return ordinary == AnyHashable(message) && library == ordinary
    }
}

/// A message of one repeated number, of which the protos have none yet.
struct Numbers: ProtobufMessage {
    static let fullName = "Numbers"
    let values: [UInt64]

    static func read(_ bytes: [UInt8]) -> [UInt64]? {
        bytes.withUnsafeBytes { bytes in
            // Nil is the answer.
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
