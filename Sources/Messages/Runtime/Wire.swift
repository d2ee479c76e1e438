internal import CMessages
import Cryptography

/// Converts the fields of protobuf-c's structs, whose content comes from a peer.
enum Wire {
    /// A text of exact length.
    /// - Throws: `MessageError.invalidText` when it is not UTF-8 or contains a NUL, which C
    ///   libraries (SQLite, libcurl) would take for the end.
    static func text(_ data: ProtobufCBinaryData) throws -> String {
        guard let start = data.data, data.len > 0 else { return "" }
        guard postern_text_is_sound(start, data.len) != 0 else { throw MessageError.invalidText }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: data.len), as: UTF8.self)
    }

    /// A text of which no String is made. Its source is the arena, which is wiped.
    /// - Throws: as `text`.
    static func secret(_ data: ProtobufCBinaryData) throws -> SecretBytes {
        guard let start = data.data, data.len > 0 else { return .empty }
        guard postern_text_is_sound(start, data.len) != 0 else { throw MessageError.invalidText }
        return SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: data.len))
    }

    /// Arbitrary bytes.
    static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
        Array(UnsafeBufferPointer(start: data.data, count: data.len))
    }

    /// The elements of a repeated field.
    /// - Throws: what `read` throws.
    static func array<Element, Value>(
        _ count: Int, _ start: UnsafeMutablePointer<Element>?, _ read: (Element) throws -> Value
    ) rethrows -> [Value] {
        guard let start, count > 0 else { return [] }
        return try UnsafeBufferPointer(start: start, count: count).map(read)
    }

    /// A pointer that libprotobuf-c always sets.
    /// - Throws: `MessageError.malformed` if it is nil.
    static func present<Value>(
        _ pointer: UnsafeMutablePointer<Value>?
    ) throws -> UnsafeMutablePointer<Value> {
        guard let pointer else { throw MessageError.malformed }
        return pointer
    }
}
