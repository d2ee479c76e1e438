package import Cryptography

/// The target to which a message is encoded, field by field: a `WireSize`, which only counts bytes, or
/// a `WireWriter`. One generated function serves both, so that they cannot disagree.
///
/// `tag` is a field's number and wire type, as encoded. Every value is written, including a
/// default: generated code omits fields where required.
package protocol WireSink {
    /// Writes a number.
    mutating func varint(_ tag: UInt32, _ value: UInt64)
    /// Writes text, as UTF-8.
    mutating func text(_ tag: UInt32, _ value: String)
    /// Writes text that is kept in memory that is wiped.
    mutating func secret(_ tag: UInt32, _ value: SecretBytes)
    /// Writes bytes.
    mutating func bytes(_ tag: UInt32, _ value: [UInt8])
    /// Writes a nested message.
    mutating func message(_ tag: UInt32, _ value: some ProtobufMessage)
    /// Writes numbers as one packed field.
    mutating func numbers(_ tag: UInt32, _ values: some Collection<UInt64>)
}

extension WireSink {
    mutating func uint64(_ tag: UInt32, _ value: UInt64) { varint(tag, value) }
    mutating func uint32(_ tag: UInt32, _ value: UInt32) { varint(tag, UInt64(value)) }
    mutating func bool(_ tag: UInt32, _ value: Bool) { varint(tag, value ? 1 : 0) }

    mutating func int64(_ tag: UInt32, _ value: Int64) { varint(tag, UInt64(bitPattern: value)) }

    /// A negative number always has ten bytes.
    mutating func int32(_ tag: UInt32, _ value: Int32) { int64(tag, Int64(value)) }
}

/// Counts the bytes of a message.
package struct WireSize: WireSink {
    private(set) var byteCount = 0

    /// Size of `value` as a varint.
    package static func ofVarint(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    package mutating func varint(_ tag: UInt32, _ value: UInt64) {
        byteCount += Self.ofVarint(UInt64(tag)) + Self.ofVarint(value)
    }

    package mutating func text(_ tag: UInt32, _ value: String) {
        lengthDelimited(tag, value.utf8.count)
    }

    package mutating func secret(_ tag: UInt32, _ value: SecretBytes) {
        lengthDelimited(tag, value.count)
    }

    package mutating func bytes(_ tag: UInt32, _ value: [UInt8]) {
        lengthDelimited(tag, value.count)
    }

    package mutating func message(_ tag: UInt32, _ value: some ProtobufMessage) {
        lengthDelimited(tag, value.encodedByteCount)
    }

    package mutating func numbers(_ tag: UInt32, _ values: some Collection<UInt64>) {
        lengthDelimited(tag, values.reduce(0) { $0 + Self.ofVarint($1) })
    }

    private mutating func lengthDelimited(_ tag: UInt32, _ count: Int) {
        varint(tag, UInt64(count))
        byteCount += count
    }
}
