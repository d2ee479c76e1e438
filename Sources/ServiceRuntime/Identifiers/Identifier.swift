/// A kind of id. Its prefix shows the kind to people who read a log or a support mail.
package protocol IdentifierKind: Sendable {
    /// Three letters, without the underscore.
    static var prefix: String { get }
}

/// The id of a row. Inside: a positive 63-bit key. An integer key leaves no trace when SQLite
/// erases a row (Sources/SECURITY.md, Erasure). Outside: the kind's prefix, an underscore and
/// thirteen characters of Crockford's base32 (`acc_0c2v7m4k9h3xd`). The kind is part of the type,
/// so that a session's id cannot be passed where an account's id is expected.
package struct Identifier<Kind: IdentifierKind>: Hashable, Sendable {
    /// The row's key: 1 … 2⁶³−1.
    package let key: Int64

    /// The id of the row with this key. Nil for zero and negative numbers, which are no row keys.
    package init?(key: Int64) {
        guard key > 0 else { return nil }
        self.key = key
    }

    /// A new random id.
    package static func drawn(from randomness: some Randomness) -> Identifier {
        Identifier(positive: randomness.rowKey())
    }

    /// Parses an id from outside.
    ///
    /// Accepts only the canonical form that `text` returns. Rejects upper case, the look-alikes
    /// that Crockford's base32 lets a reader accept (`o`, `i`, `l`), and set top bits: two texts
    /// for one account would be two keys wherever ids are compared or counted as text.
    package init?(text: String) {
        guard let key = Kind.key(of: text) else { return nil }
        self.init(key: key)
    }

    /// The id as callers see it.
    package var text: String { Kind.text(of: key) }

    private init(positive key: Int64) {
        precondition(key > 0, "a row key is 1 … 2⁶³−1: Randomness.rowKey")
        self.key = key
    }
}

extension Identifier: CustomStringConvertible {
    /// The same as `text`, so that an interpolated id never shows the bare key.
    package var description: String { text }
}

/// The kinds of id that callers see. To add one, add a kind and its alias here, nothing else.
package enum IDKind {
    /// An account's ids.
    package enum Account: IdentifierKind {
        /// `acc_…`
        package static let prefix = "acc"
    }

    /// A session's ids.
    package enum Session: IdentifierKind {
        /// `ses_…`
        package static let prefix = "ses"
    }

    /// The ids of messages that were accepted for delivery.
    package enum Message: IdentifierKind {
        /// `msg_…`
        package static let prefix = "msg"
    }

    /// The ids of operators' webhooks.
    package enum Webhook: IdentifierKind {
        /// `whk_…`
        package static let prefix = "whk"
    }

    /// The ids of events that webhooks deliver.
    package enum Event: IdentifierKind {
        /// `evt_…`
        package static let prefix = "evt"
    }

    /// The ids of migrations of guests' documents.
    package enum Migration: IdentifierKind {
        /// `mig_…`
        package static let prefix = "mig"
    }

    /// The ids of devices that receive push messages.
    package enum PushDevice: IdentifierKind {
        /// `dev_…`
        package static let prefix = "dev"
    }

    /// The ids of exports of accounts' data.
    package enum Export: IdentifierKind {
        /// `exp_…`
        package static let prefix = "exp"
    }

    /// The ids of second factors.
    package enum Factor: IdentifierKind {
        /// `fac_…`
        package static let prefix = "fac"
    }

    /// The ids of passkeys.
    package enum Passkey: IdentifierKind {
        /// `pky_…`
        package static let prefix = "pky"
    }
}

/// The id of an account: `acc_…`
package typealias AccountID = Identifier<IDKind.Account>
/// The id of a session: `ses_…`
package typealias SessionID = Identifier<IDKind.Session>
/// The id of an accepted message: `msg_…`
package typealias MessageID = Identifier<IDKind.Message>
/// The id of a webhook: `whk_…`
package typealias WebhookID = Identifier<IDKind.Webhook>
/// The id of an event: `evt_…`
package typealias EventID = Identifier<IDKind.Event>
/// The id of a migration of a guest's documents: `mig_…`
package typealias MigrationID = Identifier<IDKind.Migration>
/// The id of a device that receives push messages: `dev_…`
package typealias PushDeviceID = Identifier<IDKind.PushDevice>
/// The id of an export: `exp_…`
package typealias ExportID = Identifier<IDKind.Export>
/// The id of a second factor: `fac_…`
package typealias FactorID = Identifier<IDKind.Factor>
/// The id of a passkey: `pky_…`
package typealias PasskeyID = Identifier<IDKind.Passkey>

/// The texts of ids: a 64-bit key as thirteen lower-case characters of Crockford's base32, most
/// significant first. Source: https://www.crockford.com/base32.html
extension IdentifierKind {
    /// `prefix_` and the key's digits.
    fileprivate static func text(of key: Int64) -> String {
        let bits = UInt64(bitPattern: key)
        let digits = (0..<digitsCount).map { place in
            alphabet[Int((bits >> UInt64(5 * (digitsCount - 1 - place))) & 31)]
        }
        return prefix + "_" + String(decoding: digits, as: UTF8.self)
    }

    /// The key of exactly such a text. Nil for any other text, and for a key that exceeds 63 bits.
    fileprivate static func key(of text: String) -> Int64? {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + digitsCount,
            bytes.starts(with: prefix.utf8),
            bytes.dropFirst(prefix.utf8.count).first == UInt8(ascii: "_")
        else { return nil }
        var bits: UInt64 = 0
        for byte in bytes.suffix(digitsCount) {
            guard bits >> 58 == 0, let digit = value(of: byte) else { return nil }
            bits = bits << 5 | digit
        }
        return Int64(exactly: bits)
    }

    private static func value(of byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            alphabet.firstIndex(of: byte).map { UInt64($0) }
        default: nil
        }
    }
}

/// 13 × 5 = 65 bits hold any 64-bit key.
private let digitsCount = 13
private let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
