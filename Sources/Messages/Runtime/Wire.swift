internal import CMessages
import Cryptography

/// Reads the parts of protobuf-c's structs; what they hold is the peer's.
enum Wire {
    /// Text of its exact length.
    /// - Throws: `MessageError.invalidText` when it is not UTF-8 or holds a NUL, which C code
    ///   behind us (SQLite, libcurl) would take for the end.
    static func text(_ data: ProtobufCBinaryData) throws -> String {
        guard let start = data.data, data.len > 0 else { return "" }
        guard postern_text_is_sound(start, data.len) != 0 else { throw MessageError.invalidText }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: data.len), as: UTF8.self)
    }

    /// A text that no String is made of. Where it lay is the arena's, which is wiped.
    /// - Throws: as `text`.
    static func secret(_ data: ProtobufCBinaryData) throws -> SecretBytes {
        guard let start = data.data, data.len > 0 else { return .empty }
        guard postern_text_is_sound(start, data.len) != 0 else { throw MessageError.invalidText }
        return SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: data.len))
    }

    /// Bytes, which may hold anything.
    static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
        Array(UnsafeBufferPointer(start: data.data, count: data.len))
    }

    /// The elements of a repeated field.
    static func array<Element, Value>(
        _ count: Int, _ start: UnsafeMutablePointer<Element>?, _ read: (Element) throws -> Value
    ) rethrows -> [Value] {
        guard let start, count > 0 else { return [] }
        return try UnsafeBufferPointer(start: start, count: count).map(read)
    }

    /// A pointer that libprotobuf-c always sets.
    static func present<Value>(
        _ pointer: UnsafeMutablePointer<Value>?
    ) throws -> UnsafeMutablePointer<Value> {
        guard let pointer else { throw MessageError.malformed }
        return pointer
    }
}
