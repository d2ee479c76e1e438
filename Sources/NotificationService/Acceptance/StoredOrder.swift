import Contracts
import Cryptography
import ServiceRuntime

/// A message to send by one channel. It is validated when it is accepted, sealed in the store, and
/// validated again when it is decoded for delivery.
protocol StoredOrder: Sendable {
    /// The channel by which it is delivered.
    static var channel: Channel { get }
    /// Identifies the recipient across messages. Hashed before it is stored.
    var recipientKey: [UInt8] { get }
    /// The recipient as lists show it; see `MaskedRecipient`.
    var maskedRecipient: String { get }
    /// The template's name.
    var templateName: String { get }
    /// The template's priority class.
    var lane: Lane { get }
    /// When it expires.
    var expiresAt: Timestamp? { get }
    /// Whether it must expire within `AcceptedMessage.lifeMax`: it contains a code, or is the last
    /// mail about an account that is gone.
    var mustExpire: Bool { get }
    /// The account, so that erasing the account finds the message.
    var account: AccountID? { get }
    /// The encoded form that is sealed. Two equal requests have equal bytes.
    var storedBytes: [UInt8] { get }

    /// Decodes the stored form.
    /// - Throws: an error when the bytes cannot be decoded, for example `StoredOrderError`.
    init(stored bytes: [UInt8]) throws
}

/// A sealed order that this program cannot decode.
enum StoredOrderError: Error, Hashable, Sendable {
    /// Written by a newer program.
    case unknownVersion(UInt8)
    /// Truncated, too long, or followed by extra bytes.
    case malformed
}

/// Encodes an order: a version, then the fields in order. Each text is prefixed with its length in
/// 4 bytes and each number has 8 bytes, so that no two orders have the same bytes.
struct OrderWriter {
    private(set) var bytes: [UInt8]

    init(version: UInt8) { bytes = [version] }

    mutating func put(_ number: Int64) { bytes.append(bigEndian: number) }

    mutating func put(_ text: String) {
        DelimitedParts.append(to: &bytes) { $0 += text.utf8 }
    }

    mutating func put(_ moment: Timestamp?) { put(moment?.milliseconds ?? 0) }

    mutating func put(_ pairs: [OrderPair]) {
        put(Int64(pairs.count))
        for pair in pairs {
            put(pair.name)
            put(pair.value)
        }
    }
}

/// Decodes what `OrderWriter` wrote.
struct OrderReader {
    /// Pairs in one order: more than any request may have.
    private static let pairsMax: Int64 = 256

    private var rest: ArraySlice<UInt8>

    /// - Throws: `StoredOrderError` for any version but `version`.
    init(_ bytes: [UInt8], version: UInt8) throws(StoredOrderError) {
        guard let found = bytes.first else { throw .malformed }
        guard found == version else { throw .unknownVersion(found) }
        rest = bytes.dropFirst()
    }

    mutating func number() throws(StoredOrderError) -> Int64 {
        Int64(bitPattern: try take(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    mutating func text() throws(StoredOrderError) -> String {
        let count = try take(4).reduce(0) { $0 << 8 | Int($1) }
        guard let text = String(validating: try take(count), as: UTF8.self) else {
            throw .malformed
        }
        return text
    }

    mutating func moment() throws(StoredOrderError) -> Timestamp? {
        let milliseconds = try number()
        return milliseconds == 0 ? nil : Timestamp(milliseconds: milliseconds)
    }

    mutating func pairs() throws(StoredOrderError) -> [OrderPair] {
        let count = try number()
        guard (0...Self.pairsMax).contains(count) else { throw .malformed }
        var pairs: [OrderPair] = []
        for _ in 0..<count { pairs.append(OrderPair(name: try text(), value: try text())) }
        return pairs
    }

    /// - Throws: `StoredOrderError` when bytes are left over.
    func end() throws(StoredOrderError) {
        guard rest.isEmpty else { throw .malformed }
    }

    private mutating func take(_ count: Int) throws(StoredOrderError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

/// A name and its value in an order.
struct OrderPair: Hashable, Sendable {
    /// The name.
    let name: String
    /// Its value.
    let value: String
}

/// A recipient as logs and lists show it: enough for somebody who knows the recipient to recognise
/// it, too little to identify a stranger.
enum MaskedRecipient {
    /// Nothing of the recipient.
    static let none = "…"

    /// `ada@mail.example.org` as `a…@m….org`.
    static func email(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return none }
        let domain = address[address.index(after: at)...]
        let end = domain.lastIndex(of: ".").map { domain[$0...] } ?? ""
        return "\(address[..<at].prefix(1))…@\(domain.prefix(1))…\(end)"
    }

    /// `+4915112345621` as `+49…21`. Country codes have one to three digits; two are enough here.
    static func phone(_ number: String) -> String {
        number.utf8.count > 6 ? "\(number.prefix(3))…\(number.suffix(2))" : none
    }

    /// An address or number, masked; one that is masked already stays as it is.
    static func masked(_ recipient: String) -> String {
        if recipient.contains(none) { return recipient }
        return recipient.contains("@") ? email(recipient) : phone(recipient)
    }

    /// A device as the last two digits of its row id.
    static func device(_ row: Int64) -> String {
        "device …\("0\(row.magnitude % 100)".suffix(2))"
    }
}
