import Cryptography
import ServiceRuntime
import Storage

/// An operator's URL that receives events.
struct Webhook: Sendable {
    let id: WebhookID
    /// Validated, when it was added, by the parser that the client uses.
    let url: String
    let secret: WebhookSecret
    /// The previous secret. It also signs, until `formerUntil`.
    let formerSecret: WebhookSecret?
    let formerUntil: Timestamp?
    let filter: WebhookFilter

    /// The secrets that sign at `now`.
    func secrets(at now: Timestamp) -> [WebhookSecret] {
        guard let formerSecret, let formerUntil, now < formerUntil else { return [secret] }
        return [secret, formerSecret]
    }
}

/// The events that a webhook matches: names from the catalogue, prefixes of names (`session.*`), or
/// all.
struct WebhookFilter: Hashable, Sendable {
    /// Patterns of one webhook: more than anybody lists by hand, since a prefix matches many events.
    static let patternsMax = 64

    /// The patterns in the order given.
    let patterns: [String]

    /// A filter; no pattern means all events. Nil for a pattern that cannot match anything, or for
    /// too many patterns.
    init?(_ patterns: [String]) {
        guard patterns.count <= Self.patternsMax, patterns.allSatisfy(Self.isPattern) else {
            return nil
        }
        self.patterns = patterns.isEmpty ? ["*"] : patterns
    }

    /// Whether the filter matches an event of this name.
    func matches(_ kind: String) -> Bool {
        patterns.contains { AuditKind.matches($0, kind) }
    }

    /// Whether each pattern matches one of `kinds` at least. One that matches none is misspelt, and
    /// would never send anything.
    func isUseful(for kinds: [String]) -> Bool {
        patterns.allSatisfy { pattern in kinds.contains { AuditKind.matches(pattern, $0) } }
    }

    /// The stored form.
    var text: String { patterns.joined(separator: " ") }

    /// Decodes the stored form.
    init?(text: String) {
        self.init(text.split(separator: " ").map(String.init))
    }

    private static func isPattern(_ pattern: String) -> Bool {
        let name = pattern.hasSuffix("*") ? String(pattern.dropLast()) : pattern
        return !pattern.isEmpty && ServiceEvent.isName(name)
    }
}

/// The secret that signs the events of one webhook. Receivers see it as `whsec_` and Base64.
struct WebhookSecret: Sendable {
    /// Standard Webhooks requires 24 to 64 random bytes.
    static let byteCount = 32
    private static let prefix = "whsec_"

    let bytes: [UInt8]
    private let hash: KeyedHash

    /// A secret of these bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        hash = KeyedHash(key: SecretBytes(copying: bytes))
    }

    /// A new random secret.
    static func drawn(from randomness: any Randomness) -> WebhookSecret {
        WebhookSecret(bytes: randomness.bytes(byteCount))
    }

    /// The form that its receiver uses.
    var text: String { Self.prefix + Base64.encode(bytes) }

    /// `v1,…`: HMAC-SHA-256 over id, time and body. Because the time is signed, an attacker who has
    /// captured a request cannot replay it after the receiver's tolerance. Because the id is
    /// signed, a receiver that stores ids can drop replays before that.
    ///
    /// Source: Standard Webhooks 1.0, "Signature scheme".
    func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        "v1," + Base64.encode(hash.hash(Array("\(id).\(seconds).".utf8) + body))
    }
}

/// Seals the values of a webhook's row that must not be readable in a stolen store: its URL, which
/// may contain a token, and its secrets.
struct WebhookVault: Sendable {
    let box: SealedBox

    /// A field of a webhook's row.
    enum Field: String {
        case target, secret
        case formerSecret = "former_secret"
    }

    func seal(_ value: [UInt8], _ field: Field, of id: WebhookID) throws -> [UInt8] {
        try box.seal(value, at: Self.place(field, id))
    }

    func open(_ sealed: [UInt8], _ field: Field, of id: WebhookID) throws -> [UInt8] {
        try box.open(sealed, at: Self.place(field, id))
    }

    /// Reseals the current secret as the previous one: a sealed value is bound to its column.
    func sealAsFormer(_ secret: [UInt8], of id: WebhookID) throws -> [UInt8] {
        try seal(open(secret, .secret, of: id), .formerSecret, of: id)
    }

    static func place(_ field: Field, _ id: WebhookID) -> SealedPlace {
        SealedPlace(table: "webhook", column: field.rawValue, row: id.key)
    }
}
