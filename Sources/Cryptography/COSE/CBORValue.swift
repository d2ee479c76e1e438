/// A CBOR value (RFC 8949) of one of the kinds that authenticators send.
package enum CBORValue: Hashable, Sendable {
    /// A number of 64 bits.
    case integer(Int64)
    /// A byte string.
    case bytes([UInt8])
    /// A text.
    case text(String)
    /// A list.
    case array([CBORValue])
    /// A map.
    case map(CBORMap)
    /// `true` or `false`.
    case boolean(Bool)
    /// `null`.
    case null

    /// The number of an integer. Nil for other values.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The bytes of a byte string. Nil for other values.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The text of a text. Nil for other values.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The members of a map. Nil for other values.
    package var map: CBORMap? {
        if case .map(let map) = self { map } else { nil }
    }
}

/// The members of a CBOR map in order, with unique keys.
package struct CBORMap: Hashable, Sendable {
    /// The key of a member: COSE has numbers, WebAuthn texts.
    package enum Key: Hashable, Sendable {
        /// A number of 64 bits.
        case integer(Int64)
        /// A text.
        case text(String)
    }

    /// A key and its value.
    package struct Member: Hashable, Sendable {
        /// The key.
        package let key: Key
        /// Its value.
        package let value: CBORValue
    }

    /// The members.
    package let members: [Member]

    /// Members whose keys differ from each other, which is not checked.
    init(unique members: [Member]) { self.members = members }

    /// The value of a number.
    package subscript(number: Int64) -> CBORValue? { self[.integer(number)] }

    /// The value of a text.
    package subscript(text: String) -> CBORValue? { self[.text(text)] }

    private subscript(key: Key) -> CBORValue? { members.first { $0.key == key }?.value }
}

/// Why bytes are not the CBOR that a reader accepts. For logs.
package enum CBORError: String, Error, Hashable, CaseIterable, Sendable {
    /// More than `CBORReader.bytesMax`.
    case tooLong = "too-long"
    /// They end within a value.
    case truncated
    /// They go on after the value.
    case rest
    /// A length that is not said at the beginning.
    case indefinite
    /// A number or a length in more bytes than it needs.
    case longForm = "long-form"
    /// More than `CBORReader.depthMax` levels.
    case depth
    /// More than `CBORReader.membersMax` members.
    case members
    /// A key that is neither a number nor a text.
    case key
    /// Two equal keys.
    case repeatedKey = "repeated-key"
    /// A number beyond 64 bits with sign.
    case number
    /// A text that is not UTF-8.
    case text
    /// A tag, a floating-point number, or another kind of value that no authenticator sends.
    case kind
}
