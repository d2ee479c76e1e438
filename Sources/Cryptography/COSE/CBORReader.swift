/// Parses CBOR strictly, as authenticators send it: CTAP2's canonical encoding (Client to
/// Authenticator Protocol 2.1, section 8), in which one value has one form.
///
///     accepted    numbers of 64 bits with sign, byte strings, texts, arrays, maps, true, false, null
///     keys        numbers and texts, in any order: some authenticators sort them wrongly
///     rejected    lengths that are not said at the beginning; numbers and lengths in more bytes than
///                 they need; tags; floating-point numbers; undefined and other simple values; two
///                 equal keys; bytes after the value
///     limits      16 KiB, 4 levels, 64 members of a map
///
/// The attacks:
/// - *Two equal keys*: one parser takes the first value and another the last, so that what is
///   checked is not what is used.
/// - *A length of 2⁶⁰, or 5,000 levels*: memory is taken, or the stack ends, and with it the
///   process. A length is compared with the bytes that are left before anything is reserved.
package struct CBORReader {
    /// The longest input, in bytes. An attestation with a chain of certificates has some 5 KiB.
    package static let bytesMax = 16 * 1_024
    /// The deepest nesting of arrays and maps. An attestation with certificates has three levels.
    package static let depthMax = 4
    /// The largest number of members of one map. An attestation of a TPM has six.
    package static let membersMax = 64

    private let bytes: [UInt8]
    /// The index of the next byte.
    package private(set) var position: Int

    /// Begins to read at an index of `bytes`, which is at most their number.
    /// - Throws: `.tooLong`.
    package init(_ bytes: [UInt8], at position: Int) throws(CBORError) {
        precondition((0...bytes.count).contains(position), "the caller has read up to here")
        guard bytes.count - position <= Self.bytesMax else { throw .tooLong }
        self.bytes = bytes
        self.position = position
    }

    /// Parses `bytes`, which must contain one value and nothing else.
    /// - Throws: `CBORError`.
    package static func value(in bytes: [UInt8]) throws(CBORError) -> CBORValue {
        var reader = try CBORReader(bytes, at: 0)
        let value = try reader.value()
        guard reader.remaining == 0 else { throw .rest }
        return value
    }

    /// Reads the value that is next.
    /// - Throws: `CBORError`, after which the reader is not used.
    package mutating func value() throws(CBORError) -> CBORValue { try value(within: 0) }

    private var remaining: Int { bytes.count - position }

    /// - Parameter levels: The number of arrays and maps around the value.
    private mutating func value(within levels: Int) throws(CBORError) -> CBORValue {
        guard let first = take(1).first else { throw .truncated }
        let information = first & 0x1F
        // The three highest bits are the kind (RFC 8949, section 3.1).
        switch first >> 5 {
        case 0: return .integer(try number(information))
        // −1 − n is the complement of n.
        case 1: return .integer(~(try number(information)))
        case 2: return .bytes(Array(try string(information)))
        case 3:
            guard let text = String(validating: try string(information), as: UTF8.self) else {
                throw .text
            }
            return .text(text)
        case 4: return .array(try array(information, within: levels))
        case 5: return .map(try map(information, within: levels))
        case 7: return try simple(information)
        default: throw .kind
        }
    }

    private func simple(_ information: UInt8) throws(CBORError) -> CBORValue {
        switch information {
        case 20: .boolean(false)
        case 21: .boolean(true)
        case 22: .null
        default: throw .kind
        }
    }

    private mutating func number(_ information: UInt8) throws(CBORError) -> Int64 {
        guard let number = Int64(exactly: try argument(information)) else { throw .number }
        return number
    }

    private mutating func string(_ information: UInt8) throws(CBORError) -> ArraySlice<UInt8> {
        take(try count(information))
    }

    private mutating func array(
        _ information: UInt8, within levels: Int
    ) throws(CBORError) -> [CBORValue] {
        guard levels < Self.depthMax else { throw .depth }
        // Each value has a byte at least, so there are no more than bytes are left.
        var values: [CBORValue] = []
        for _ in 0..<(try count(information)) { values.append(try value(within: levels + 1)) }
        return values
    }

    private mutating func map(
        _ information: UInt8, within levels: Int
    ) throws(CBORError) -> CBORMap {
        guard levels < Self.depthMax else { throw .depth }
        let count = try count(information)
        guard count <= Self.membersMax else { throw .members }
        var members: [CBORMap.Member] = []
        for _ in 0..<count {
            let key = try key(within: levels + 1)
            guard !members.contains(where: { $0.key == key }) else { throw .repeatedKey }
            members.append(CBORMap.Member(key: key, value: try value(within: levels + 1)))
        }
        return CBORMap(unique: members)
    }

    private mutating func key(within levels: Int) throws(CBORError) -> CBORMap.Key {
        switch try value(within: levels) {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        default: throw .key
        }
    }

    /// A number of bytes, values or members, which are all still to come.
    private mutating func count(_ information: UInt8) throws(CBORError) -> Int {
        let number = try argument(information)
        guard number <= UInt64(remaining) else { throw .truncated }
        return Int(number)
    }

    /// The number that a value begins with (RFC 8949, section 3): up to 23 in the first byte
    /// itself, otherwise in the 1, 2, 4 or 8 bytes after it.
    private mutating func argument(_ information: UInt8) throws(CBORError) -> UInt64 {
        switch information {
        case 0...23: return UInt64(information)
        case 24...27:
            let width = 1 << Int(information - 24)
            let digits = take(width)
            guard digits.count == width else { throw .truncated }
            let number = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // What half of the bytes can hold must be in half of the bytes.
            let least: UInt64 = width == 1 ? 24 : 1 << UInt64(4 * width)
            guard number >= least else { throw .longForm }
            return number
        case 31: throw .indefinite
        default: throw .kind
        }
    }

    /// The next bytes: `count` of them, or fewer if they end.
    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        let taken = bytes[position...].prefix(count)
        position = taken.endIndex
        return taken
    }
}
